import StateGraph
import StateGraphTesting

// Computed nodes that need each other, and have fallbacks.

extension Scenario {
  static let cycles = [metAgain, foundByReads, withoutFallback, broken]

  /// A computed node that can be named before it is made.
  @GraphActor private final class Late {
    var content: Computed<Int>?
    var value: Int { content?.wrappedValue ?? 0 }
  }

  private static let metAgain = Scenario(
    "the members of a cycle have their fallbacks", [.meetsCycle]
  ) { @GraphActor in
    let (one, two) = (Late(), Late())
    one.content = Computed(onCycle: { _ in -1 }) { two.value + 1 }
    two.content = Computed(onCycle: { _ in -2 }) { one.value + 1 }
    require([one.value, two.value] == [-1, -2])
    (one.content, two.content) = (nil, nil)
  }

  private static let foundByReads = Scenario(
    "a member has its fallback although those that it reads have been derived before", [.findsCycle]
  ) { @GraphActor in
    let (first, second, third) = (Late(), Late(), Late())
    first.content = Computed(onCycle: { _ in -1 }) { second.value + third.value }
    second.content = Computed(onCycle: { _ in -2 }) { first.value }
    third.content = Computed(onCycle: { _ in -3 }) { second.value }
    require(first.value == -1)
    require([second.value, third.value] == [-2, -3])
    (first.content, second.content, third.content) = (nil, nil, nil)
  }

  private static let withoutFallback = Scenario(
    "a member without a fallback is derived from those that have one", [.derivesProvisionally]
  ) { @GraphActor in
    let (one, two) = (Late(), Late())
    one.content = Computed { two.value + 1 }
    two.content = Computed(onCycle: { _ in -2 }) { one.value * 10 }
    require([one.value, two.value] == [-1, -2])
    (one.content, two.content) = (nil, nil)
  }

  private static let broken = Scenario(
    "a member recovers, also if what it reads has the value that it had in the cycle", [.meetsCycle]
  ) { @GraphActor in
    let isCyclic = Stored(true)
    let (one, two) = (Late(), Late())
    one.content = Computed(onCycle: { _ in 10 }) { two.value * 2 }
    two.content = Computed { isCyclic.wrappedValue ? one.value + 1 : 11 }
    require([one.value, two.value] == [10, 11])
    isCyclic.wrappedValue = false
    require([one.value, two.value] == [22, 11])
    withGraphTransaction {
      isCyclic.wrappedValue = true
      require([one.value, two.value] == [10, 11])
    }
    require([one.value, two.value] == [10, 11])
    (one.content, two.content) = (nil, nil)
  }
}
