import StateGraph

extension World {
  /// Follows a node that changes while the consumer is busy, and may go before it comes back.
  func followPrivately(_ plan: WorldStep.PrivateStream) async {
    let name = "private \(plan)"
    var source: Stored<Int>? = Stored(0)
    var derived = plan.isDerived ? source?.map { $0 } : nil
    guard let node = source else { return }
    let changes =
      derived?.changes(buffering: plan.buffer.policy)
      ?? node.changes(buffering: plan.buffer.policy)
    var iterator = changes.makeAsyncIterator()
    require(await iterator.next(isolation: nil)?.value == 0, "streams", "\(name) begins wrongly")
    for number in 1...plan.changes { await node.set(number) }
    if plan.isReleased { await letGo(of: (consume node, source.take(), derived.take())) }
    var seen = 0
    while seen < expectedEnd(of: plan) {
      guard let change = await iterator.next(isolation: nil) else {
        report("streams", "\(name) has ended after \(seen)")
      }
      let next = seen + 1 + change.dropped
      require(
        plan.buffer == .latest ? change.value == plan.changes : change.value == next, "streams",
        "\(name): \(change) after \(seen)")
      seen = change.value
    }
    guard plan.isReleased else { return withExtendedLifetime((source, derived)) {} }
    let end = await iterator.next(isolation: nil)
    require(end == nil, "streams", "\(name) goes on after its node: \(end as Any)")
  }

  /// Lets go of nodes, on the thread of the caller.
  private func letGo(of nodes: consuming (Stored<Int>, Stored<Int>?, Computed<Int>?)) async {
    _ = consume nodes
    // The node may be removed at any time from here on.
    await Task.yield()
  }

  /// The last change that a stream delivers.
  private func expectedEnd(of plan: WorldStep.PrivateStream) -> Int {
    plan.buffer == .oldest ? min(plan.changes, 2) : plan.changes
  }

  /// Lets go of something in the middle of a step, which must not be noticed there.
  func stayTheSame(_ steadiness: WorldStep.Steadiness) async {
    switch steadiness {
    case .cleanup: await cleanUpLater()
    case .snapshot: await removeLater()
    case .values: await removeAfterValues()
    }
  }

  /// What the end of a tracking writes is not written in the middle of a step.
  private func cleanUpLater() async {
    let written = Stored(0)
    let other = Stored(1)
    var tracking: GraphCancellable? = await withGraphTracking {
      withGraphTrackingGroup {
        _ = other.wrappedValue
        withGraphTrackingCleanup { written.wrappedValue += 1 }
      }
    }
    let (before, after) = await GraphActor.run { [tracking] in
      let before = written.wrappedValue
      tracking?.cancel()
      let double = other.map { $0 * 2 }
      _ = double.wrappedValue
      return (before, written.wrappedValue)
    }
    tracking = nil
    require(before == after, "steps", "a cleanup has written in the middle of a step")
    await GraphActor.settle()
    let end = await GraphActor.run { written.wrappedValue }
    require(end == 1, "cleanups", "a cleanup has run \(end) times")
  }

  /// What a snapshot lets go of is not removed in its middle.
  private func removeLater() async {
    let holder = Locked<Stored<Int>?>(Stored(1))
    let other = Stored(1)
    let reader = Self.weakReader(of: holder)
    let (first, second) = await withGraphSnapshot { snapshot in
      let first = snapshot[reader]
      let node = holder.with { $0.take() }
      _ = consume node
      _ = snapshot[other.map { $0 * 2 }]
      return (first, snapshot[reader])
    }
    require(first == second, "steps", "a snapshot reads \(first), then \(second)")
  }

  /// What a rule lets go of is not removed in between the values of a snapshot.
  private func removeAfterValues() async {
    let holder = Locked<Stored<Int>?>(Stored(1))
    let reader = Self.weakReader(of: holder)
    let other = Stored(1)
    _ = await reader.value
    let releasing = Computed { _ in
      let node = holder.with { $0.take() }
      _ = consume node
      return other.wrappedValue
    }
    let again = reader.map { $0 }
    let values = await GraphSnapshot.values(of: releasing, reader, again)
    require(values.1 == values.2, "steps", "values of a snapshot are \(values)")
  }

  /// A rule that reads a node as long as it is there.
  private static func weakReader(of holder: Locked<Stored<Int>?>) -> Computed<Int> {
    let node = holder.with { $0.map { Weak($0) } }
    return Computed { _ in node?.object?.wrappedValue ?? -1 }
  }
}
