/// What commits have caused and what has not been delivered yet.
///
/// Each delivery belongs to a generation. Whoever settles closes the current one and waits until it
/// and all before it are through; what a delivery causes belongs to the delivery's own generation.
/// So a settling task waits for cascades, and not for what others commit meanwhile.
struct DeliveryLedger: ~Copyable {
  /// The number of a generation.
  typealias Generation = UInt64

  /// The generation of deliveries that begin now.
  private(set) var current: Generation = 0
  /// The generation that is open when no delivery is being made.
  private var latest: Generation = 0
  /// How many deliveries of each generation are outstanding.
  private var outstanding: [Generation: Int] = [:]
  /// Those who settle, with the last generation that they wait for.
  private var settling: [(generation: Generation, slot: WaitSlot<Void>)] = []

  /// Notes that something is to be delivered.
  ///
  /// - Returns: The generation, for `ended`.
  mutating func began() -> Generation {
    outstanding[current, default: 0] += 1
    return current
  }

  /// Notes that something follows that belongs to a generation, until `ended`.
  mutating func hold(_ generation: Generation) {
    outstanding[generation, default: 0] += 1
  }

  /// Notes that something has been delivered, or never will be.
  mutating func ended(_ generation: Generation) {
    guard let count = outstanding[generation] else {
      preconditionFailure("a delivery of generation \(generation) ended twice")
    }
    outstanding[generation] = count > 1 ? count - 1 : nil
    guard count == 1, !settling.isEmpty else { return }
    let oldest = outstanding.keys.min() ?? .max
    settling.removeAll { waiting in
      guard waiting.generation < oldest else { return false }
      passes(.wakesSettling)
      waiting.slot.signal()
      return true
    }
  }

  /// Makes what is caused from here on belong to a generation.
  mutating func enter(_ generation: Generation) {
    current = generation
  }

  /// Ends what `enter` began.
  mutating func leave() {
    current = latest
  }

  /// Closes the current generation.
  ///
  /// - Returns: Where to wait for its end; nil if nothing is outstanding.
  mutating func settle() -> WaitSlot<Void>? {
    guard !outstanding.isEmpty, !isMutated(.settlesEarly) else {
      passes(.settlesAtOnce)
      return nil
    }
    passes(.settlesLater)
    let slot = WaitSlot<Void>()
    settling.append((latest, slot))
    latest += 1
    current = latest
    return slot
  }
}

extension GraphActor {
  /// Waits until everything has been delivered that was caused by commits made before the call.
  ///
  /// That is: every group and map that such a commit concerns has run, `onChange` of every map has
  /// returned, on whatever actor it runs, and so has what these have caused in turn. A stream has
  /// taken in its element; whether a consumer has come for it is the consumer's affair. Nodes that
  /// were released before the call have been removed. The runs of async rules are not waited for.
  ///
  /// For tests, in place of a sleep.
  ///
  /// **Cancellation:** Returns at once when the task is cancelled.
  public static func settle() async {
    // What was released is removed in portions.
    while await !Graph.shared.hasRemoved(), !Task.isCancelled { await Task.yield() }
    guard let slot = await Graph.shared.settling() else { return }
    _ = await slot.wait(isolation: nil)
  }
}

extension Graph {
  /// Removes a portion of what has been released.
  ///
  /// - Returns: Whether nothing is left.
  @GraphActor
  fileprivate func hasRemoved() -> Bool {
    arrive()
    return areRemovalsComplete && !hasReleased
  }

  @GraphActor
  fileprivate func settling() -> WaitSlot<Void>? {
    arrive()
    return core.pointee.machine.ledger.settle()
  }
}
