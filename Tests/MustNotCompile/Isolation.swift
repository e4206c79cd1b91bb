// Nodes belong to the actor: code outside reads and writes them by awaiting.

import StateGraph

// expected-note@+1 {{add '@GraphActor'}}
func readsFromOutside(_ node: Stored<Int>) -> Int {
  // expected-error@+1 {{property 'wrappedValue' can not be referenced from a nonisolated context}}
  node.wrappedValue
}

func writesFromOutside(_ node: Stored<Int>) async {
  // expected-error@+2 {{property 'wrappedValue' can not be mutated from a nonisolated context}}
  // expected-note@+1 {{consider declaring an isolated method}}
  node.wrappedValue = 1
}

@GraphActor
func writesToComputed(_ node: Computed<Int>) {
  // expected-error@+1 {{cannot assign to property: 'wrappedValue' is a get-only property}}
  node.wrappedValue = 1
}
