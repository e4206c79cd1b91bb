import StateGraph
import Synchronization

/// A way to read something whose value is 1, as often as is asked for.
///
/// The loops are written out, because a call of a closure costs as much as a read.
struct Reading: Sendable {
  /// Reads a number of times, on the actor of the caller, if any, and returns the sum.
  typealias Loop = nonisolated(nonsending) @Sendable (_ count: Int) async -> Int

  /// What it is called.
  let name: String
  /// How many nodes one read reads.
  var nodes = 1
  /// How many times a task reads for one sample, on the pool and on the main actor.
  ///
  /// What enters an actor takes longer, above all from the main actor.
  let counts: (pool: Int, mainActor: Int)
  /// Makes what is read, and returns the loop that reads it.
  let makeLoop: @Sendable () async -> Loop

  /// How often a task reads for a sample if nothing is entered.
  static let many = (pool: 500_000, mainActor: 500_000)
  /// How often a task reads for a sample if an actor is entered each time.
  static let some = (pool: 20_000, mainActor: 1_000)
}

// MARK: - What it is compared with

extension Reading {
  /// A value behind a lock: what the others are compared with.
  static let mutex = Reading(name: "Mutex", counts: many) {
    let box = LockedValue()
    return { count in
      var sum = 0
      for _ in 0..<count { sum &+= box.value.withLock { $0 } }
      return sum
    }
  }

  /// A property of an actor.
  static let actor = Reading(name: "plain actor", counts: some) {
    let holder = ValueHolder()
    return { count in
      var sum = 0
      for _ in 0..<count { sum &+= await holder.count }
      return sum
    }
  }
}

/// Makes a lock something that closures can share.
private final class LockedValue: Sendable {
  let value = Mutex(1)
}

/// A plain actor.
private actor ValueHolder {
  var count = 1
}
