// Deliveries: watchers are told of commits. Who is told when is up to `DeliveryStateMachine`.

extension Graph {
  /// Makes the deliveries that are due.
  ///
  /// Those who only read are told at every commit, so they miss none. Those who may write follow:
  /// one that commits does not deliver to the others on top of itself; what it causes is delivered
  /// after it, by the loop that is already under way.
  @GraphActor
  @inline(__always)
  func deliver() {
    if core.pointee.engine.hasQueuedWatchers { deliverQueued() }
  }

  @GraphActor
  @inline(never)
  private func deliverQueued() {
    switch core.pointee.machine.watchersMarked() {
    case .leave:
      return passes(.flushesLater)
    case .inform:
      tellAll { core.pointee.engine.takeNotified() }
    }
    switch core.pointee.machine.informed(isRunning: core.pointee.engine.running != .none) {
    case .leave:
      return
    case .react:
      tellAll { core.pointee.engine.takeReaction() }
      core.pointee.machine.reacted()
    }
  }

  /// Tells the watchers of a queue.
  @GraphActor
  @inline(__always)
  private func tellAll(_ takeNext: @GraphActor () -> NodeID?) {
    guard let first = takeNext() else { return }
    // Whoever wrote must not become a reader of what deliveries read.
    withoutTracking {
      actingForNobody {
        var next: NodeID? = first
        while let id = next {
          notify(core.pointee.engine.payload(of: id))
          next = takeNext()
        }
      }
    }
  }

  /// Tells a watcher, on the actor.
  ///
  /// Without a reference to the cell, which would have to be counted: while watchers are told, no
  /// node is removed.
  private nonisolated func notify(_ payload: UnsafeRawPointer?) {
    guard let payload else { preconditionFailure("a watcher without a cell was queued (I1)") }
    // SAFETY: Only watchers are queued; the graph keeps them alive.
    Unmanaged<WatcherCell>.fromOpaque(payload)._withUnsafeGuaranteedRef { Self.notify($0) }
  }

  private static let notify: @Sendable (WatcherCell) -> Void = {
    let notify: @GraphActor @Sendable (WatcherCell) -> Void = { $0.notified() }
    // SAFETY: It is called on the actor. Isolation is no part of a closure's representation.
    return unsafeBitCast(notify, to: (@Sendable (WatcherCell) -> Void).self)
  }()
}
