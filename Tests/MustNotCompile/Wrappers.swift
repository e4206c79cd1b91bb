// A property wrapper in a class of another isolation, and a value that cannot be shared, are refused
// where they are used, with what to do about it.

import StateGraph

// expected-note@+1 {{class 'Unsafe' does not conform to the 'Sendable' protocol}}
final class Unsafe {
  var count = 0
}

@GraphActor final class HoldsWhatIsNotSendable {
  // expected-error@+1 {{type 'Unsafe' does not conform to the 'Sendable' protocol}}
  @GraphStored var unsafe = Unsafe()
}

final class IsNotIsolated {
  // expected-note@+1 {{mutation of this property is only permitted within the actor}}
  @GraphStored var count = 0

  // expected-note@+1 {{add '@GraphActor' to make instance method 'increment()' part of global actor 'GraphActor'}}
  func increment() {
    // expected-error@+1 {{global actor 'GraphActor'-isolated property 'count' can not be mutated from a nonisolated context}}
    count = 1
  }
}

@MainActor final class IsIsolatedElsewhere {
  // expected-note@+1 {{mutation of this property is only permitted within the actor}}
  @GraphStored var count = 0

  func increment() {
    // expected-error@+1 {{global actor 'GraphActor'-isolated property 'count' can not be mutated from the main actor}}
    count = 1
  }
}
