// The value of a node that is changed in place belongs to the actor, and a change is one step.

import StateGraph

func readsBesideTheActor(_ node: StoredInPlace<[Int]>) {
  // expected-error@+1 {{value of type 'StoredInPlace<[Int]>' has no member 'committedValue'}}
  _ = node.committedValue
}

extension Array {
  fileprivate mutating func grow() async {}
}

@GraphActor
func awaitsInTheMiddle(_ node: StoredInPlace<[Int]>) async {
  // expected-error@+1 {{cannot call mutating async function 'grow()' on actor-isolated property 'wrappedValue'}}
  await node.wrappedValue.grow()
}
