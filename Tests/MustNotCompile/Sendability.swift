// What crosses isolations is Sendable, and what has one owner is not.

import StateGraph

// expected-note@+1 2{{class 'Unsafe' does not conform to the 'Sendable' protocol}}
final class Unsafe {
  var count = 0
}

func storesWhatIsNotSendable() {
  // expected-error@+1 2{{type 'Unsafe' does not conform to the 'Sendable' protocol}}
  _ = Stored(Unsafe())
}

func needsSendable(_ value: some Sendable) {}

func sharesAnIterator(_ node: Stored<Int>) {
  // expected-error@+1 {{conformance of 'GraphValues<Value>.Iterator' to 'Sendable' is unavailable}}
  needsSendable(node.values.makeAsyncIterator())
}

func sharesAContext(_ context: GraphContext) {
  // expected-error@+1 {{conformance of 'GraphContext' to 'Sendable' is unavailable}}
  needsSendable(context)
}
