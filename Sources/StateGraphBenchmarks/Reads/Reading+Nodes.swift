import StateGraph

// The ways to read nodes from outside of the actor.

extension Reading {
  /// One node each.
  static var ofOneNode: [Reading] {
    [
      Reading(name: "stored.value", counts: many) {
        let node = await makeStored()
        return { count in
          var sum = 0
          for _ in 0..<count { sum &+= await node.value }
          return sum
        }
      },
      Reading(name: "stored.committedValue", counts: many) {
        let node = await makeStored()
        return { count in
          var sum = 0
          for _ in 0..<count { sum &+= node.committedValue }
          return sum
        }
      },
      Reading(name: "computed.value", counts: many) {
        let node = await makeComputed()
        return { count in
          var sum = 0
          for _ in 0..<count { sum &+= await node.value }
          return sum
        }
      },
      Reading(name: "computed.committedValue", counts: many) {
        let node = await makeComputed()
        return { count in
          var sum = 0
          for _ in 0..<count { sum &+= node.committedValue ?? 0 }
          return sum
        }
      },
    ]
  }

  /// A node that has been written: one that has not is read without looking for a box.
  static func makeStored() async -> Stored<Int> {
    let node = Stored(0)
    await node.set(1)
    return node
  }

  /// A node whose value is published, and published again by every run.
  private static func makeComputed() async -> Computed<Int> {
    let source = await makeStored()
    let node = Computed { _ in source.wrappedValue }
    check(await node.value, equals: 1, "the computed value")
    check(node.committedValue, equals: 1, "the published value")
    await GraphActor.settle()
    return node
  }
}
