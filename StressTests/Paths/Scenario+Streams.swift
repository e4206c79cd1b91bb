import StateGraph
import StateGraphTesting

// Streams of values, of commits and of tracked expressions.

extension Scenario {
  static let streams = [
    buffered, bufferedOnActor, buffersJoin, conflated, published, takenOnce, cancelledDuring,
    unchanged,
    resumed, last, gone, cancelledBefore, signalBeforeWait, left, releasedUnderWait,
    commits, trackings, share,
  ]

  private static let share = Scenario(
    "a node whose rule takes long is evaluated in the consumer's own time",
    [.leavesToFollower, .pausesFollower]
  ) {
    let source = Stored(0)
    let slow = Computed { _ in
      let end = ContinuousClock.now.advanced(by: .milliseconds(20))
      while ContinuousClock.now < end {}
      return source.wrappedValue
    }
    let seen = EventLog<Int>()
    let consumer = Task {
      for await value in slow.values {
        seen.record(value)
        if value == -1 { return }
      }
    }
    try await seen.wait { $0 == [0] }
    // Until it is found waiting, and again before the pause is over.
    let before = (taken(.leavesToFollower), taken(.pausesFollower))
    var value = 0
    while taken(.leavesToFollower) == before.0 || taken(.pausesFollower) == before.1 {
      value += 1
      await source.set(value)
      await Task.yield()
    }
    await source.set(-1)
    await consumer.value
    require(seen.events.last == -1, "seen: \(seen.events)")
  }

  private static let buffered = Scenario(
    "a consumer that was busy takes every change in order",
    [.startsStream, .signalsBusyConsumer, .takesBuffered, .queuesWatcher]
  ) { @GraphActor in
    let node = Stored(0)
    var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
    require(await changes.next(isolation: GraphActor.shared)?.value == 0)
    for value in 1...5 { node.wrappedValue = value }
    for value in 1...5 {
      require(await changes.next(isolation: GraphActor.shared)?.value == value)
    }
  }

  private static let bufferedOnActor = Scenario(
    "after a release, a consumer that was busy asks the actor",
    [.clearsSignal, .takesBufferedOnActor]
  ) { @GraphActor in
    let node = Stored(0)
    let other = Box<Stored<Int>?>(Stored(0))
    var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
    require(await changes.next(isolation: GraphActor.shared)?.value == 0)
    for value in 1...5 { node.wrappedValue = value }
    // The release of a node may be the end of a stream.
    other.value = nil
    for value in 1...5 {
      require(await changes.next(isolation: GraphActor.shared)?.value == value)
    }
  }

  private static let takenOnce = Scenario(
    "what a consumer has taken without the actor does not come again",
    [.takesPublished, .sparesTaken]
  ) { @GraphActor in
    // Without a comparison, each write is a change.
    let node = Stored(Payload(LiveCount(), 0))
    var changes = node.changes(buffering: .latest).makeAsyncIterator()
    require(await changes.next(isolation: GraphActor.shared)?.value.number == 0)
    node.wrappedValue = Payload(LiveCount(), 1)
    require(await changes.next(isolation: GraphActor.shared)?.value.number == 1)
    Task { node.wrappedValue = Payload(LiveCount(), 2) }
    let next = await changes.next(isolation: GraphActor.shared)?.value.number
    require(next == 2, "a change came twice")
  }

  private static let buffersJoin = Scenario(
    "a consumer takes changes while the actor adds some", [.joinsBuffers]
  ) {
    let batch = 1_000
    let node = Stored(0)
    let gate = Gate("consumer")
    let consumer = Task.detached {
      var last = -1
      for await change in node.changes(buffering: .unbounded) {
        require(change.value == last + 1, "\(change.value) after \(last)")
        last = change.value
        if last.isMultiple(of: batch) { try await gate.pass() }
      }
    }
    try await gate.arrivals(1)
    await GraphActor.run { for _ in 0..<batch { node.wrappedValue += 1 } }
    // The consumer takes one batch while the actor adds the next.
    await repeatUntilTaken(.joinsBuffers) {
      gate.admit()
      await GraphActor.run { for _ in 0..<batch { node.wrappedValue += 1 } }
    }
    consumer.cancel()
    gate.open()
    _ = await consumer.result
  }

  private static let conflated = Scenario(
    "a consumer of the latest value that was busy takes the latest", [.conflates, .takesLatest]
  ) { @GraphActor in
    let node = Stored(0)
    let double = node.map { $0 * 2 }
    var values = double.values.makeAsyncIterator()
    require(await values.next(isolation: GraphActor.shared) == 0)
    for value in 1...5 { node.wrappedValue = value }
    require(await values.next(isolation: GraphActor.shared) == 10)
  }

  private static let published = Scenario(
    "a consumer of the latest value of a stored node takes it without the actor",
    [.conflates, .takesPublished]
  ) { @GraphActor in
    let node = Stored(0)
    await untilTasksAreFinished()
    var values = node.values.makeAsyncIterator()
    require(await values.next(isolation: GraphActor.shared) == 0)
    for value in 1...5 { node.wrappedValue = value }
    require(await values.next(isolation: GraphActor.shared) == 5)
    node.wrappedValue = 6
    require(await values.next(isolation: GraphActor.shared) == 6)
  }

  private static let unchanged = Scenario(
    "a stream is not told of a value that it has delivered last", [.sparesStream, .sparesWatcher]
  ) {
    let log = EventLog<Int>()
    let gate = Gate("consumer")
    let node = Stored(0)
    let parity = node.map { $0 % 2 }
    let consumer = Task {
      for await value in node.values {
        log.record(value)
        try await gate.pass()
      }
    }
    let other = Task { for await value in parity.values { log.record(value + 100) } }
    try await gate.arrivals(1)
    try await log.wait(for: 100)
    await node.set(1)
    await node.set(0)
    let before = taken(.sparesStream)
    gate.open()
    await untilTaken(.sparesStream, since: before)
    await repeatUntilTaken(.sparesWatcher) { await node.update { $0 += 2 } }
    consumer.cancel()
    other.cancel()
    _ = await (consumer.result, other.result)
    require(!log.events.dropFirst(2).contains(0), "delivered again: \(log.events)")
  }

  private static let resumed = Scenario(
    "a waiting consumer is handed each change, and waits again", [.mustWait, .resumesConsumer]
  ) {
    let log = EventLog<Int>()
    let node = Stored(0)
    let consumer = Task { for await value in node.values { log.record(value) } }
    let last = Box(0)
    try await log.wait(for: 0)
    let before = taken(.resumesConsumer)
    repeat {
      last.value += 1
      await node.set(last.value)
      try await log.wait(for: last.value)
    } while last.value < 20 || taken(.resumesConsumer) == before
    consumer.cancel()
    await consumer.value
    require(log.events == Array(0...last.value))
  }

  private static let last = Scenario(
    "a stream takes the last value of a node that goes, and ends", [.takesLastValue, .endsStream]
  ) { @GraphActor in
    var node: Stored<Int>? = Stored(0)
    var values = node?.values.makeAsyncIterator()
    require(await values?.next(isolation: GraphActor.shared) == 0)
    node?.wrappedValue = 7
    node = nil
    Graph.shared.arrive()
    require(await values?.next(isolation: GraphActor.shared) == 7, "the last value is lost")
    require(await values?.next(isolation: GraphActor.shared) == nil)
  }

  private static let gone = Scenario(
    "a stream that begins after its node has gone is empty", [.findsNodeGone]
  ) {
    var node: Stored<Int>? = Stored(0)
    var values = node?.values.makeAsyncIterator()
    node = nil
    require(await values?.next(isolation: nil) == nil)
  }

  private static let cancelledBefore = Scenario(
    "a consumer that is cancelled before it waits does not wait", [.findsCancelled]
  ) {
    let source = Stored(0)
    let isArmed = Box(false)
    // The consumer runs the rule, and cancels itself between asking and waiting.
    let node = Computed { _ in
      if source.wrappedValue > 0, isArmed.value { withUnsafeCurrentTask { $0?.cancel() } }
      return 0
    }
    let gate = Gate("consumer")
    let consumer = Task {
      var values = node.values.makeAsyncIterator()
      require(await values.next(isolation: nil) == 0)
      try await gate.pass()
      require(await values.next(isolation: nil) == nil)
    }
    try await gate.arrivals(1)
    await source.set(1)
    isArmed.value = true
    gate.open()
    _ = await consumer.result
  }

  private static let cancelledDuring = Scenario(
    "a consumer that is cancelled while it waits ends", [.cancelsWait]
  ) {
    let node = Stored(0)
    await repeatUntilTaken(.cancelsWait) {
      let before = taken(.mustWait)
      let consumer = Task { for await _ in node.values {} }
      await untilTaken(.mustWait, since: before)
      consumer.cancel()
      await consumer.value
    }
  }

  private static let signalBeforeWait = Scenario(
    "a change between asking and waiting is not missed", [.findsSignal]
  ) {
    let source = Stored(0)
    let hasAsked = Box(false)
    let hasWritten = Box(false)
    let node = Computed { _ in
      if source.wrappedValue == 1 { hasAsked.value = true }
      return source.wrappedValue / 2
    }
    let writer = Task.detached {
      await until { hasAsked.value }
      await source.set(2)
      hasWritten.value = true
    }
    let consumer = Task { @MainActor in
      var values = node.values.makeAsyncIterator()
      require(await values.next(isolation: MainActor.shared) == 0)
      await source.set(1)
      // Keeps the consumer, which has asked, from going on to wait before the write has come.
      Task { @MainActor in while !hasWritten.value {} }
      return await values.next(isolation: MainActor.shared)
    }
    require(await consumer.value == 1)
    await writer.value
  }

  private static let left = Scenario(
    "a stream that is left leaves nothing behind", [.startsStream]
  ) { @GraphActor in
    let node = Stored(0)
    for await _ in node.values { break }
    Graph.shared.arrive()
    require(node.watcherCount == 0, "a subscription is left")
  }

  private static let releasedUnderWait = Scenario(
    "a consumer that waits is told of the end of its node", [.signalsConsumer, .endsStream]
  ) {
    await repeatUntilTaken(.signalsConsumer) {
      let node = Box<Stored<Int>?>(Stored(0))
      let before = taken(.mustWait)
      guard let values = node.value?.values else { return }
      let consumer = Task { for await _ in values {} }
      await untilTaken(.mustWait, since: before)
      node.value = nil
      await consumer.value
    }
  }

  private static let commits = Scenario(
    "a stream of commits has each of them",
    [.admitsCommitStream, .buffersCommit, .announcesCommit]
  ) {
    let log = EventLog<UInt64>()
    let node = Stored(0)
    var first = await latestVersion()
    var commits = GraphActor.commits().makeAsyncIterator()
    for value in 1...3 { await node.set(value) }
    for _ in 0..<3 {
      first += 1
      let commit = await commits.next(isolation: nil)
      require(commit?.version == first && commit?.changedNodes == [node.id])
    }
    let start = Gate("consumer")
    let waiting = taken(.mustWait)
    let consumer = Task {
      var commits = GraphActor.commits().makeAsyncIterator()
      start.open()
      while let commit = await commits.next(isolation: nil) { log.record(commit.version) }
    }
    try await start.pass()
    let before = first
    await untilTaken(.mustWait, since: waiting)
    try await repeatUntilTaken(.announcesCommit) {
      await node.update { $0 += 1 }
      try await log.wait(for: await latestVersion())
    }
    consumer.cancel()
    await consumer.value
    require(log.events == Array(before + 1...(await latestVersion())))
  }

  private struct Refused: Error {}

  private static let trackings = Scenario(
    "a tracked expression has an element for each change, and ends when it says so",
    [.tracksElement, .finishesTracking, .throwsInTracking, .wakesWatcher]
  ) { @GraphActor in
    let node = Stored(0)
    var sums = GraphTrackings<Int, Never>.untilFinished {
      node.wrappedValue > 1 ? .finish : .next(node.wrappedValue * 10)
    }.makeAsyncIterator()
    var refusing = GraphTrackings { () throws(Refused) in
      if node.wrappedValue > 1 { throw Refused() }
      return node.wrappedValue
    }.makeAsyncIterator()
    for value in 0...1 {
      node.wrappedValue = value
      require(await sums.next(isolation: GraphActor.shared) == value * 10)
      require(try await refusing.next(isolation: GraphActor.shared) == value)
    }
    node.wrappedValue = 2
    require(await sums.next(isolation: GraphActor.shared) == nil)
    do {
      _ = try await refusing.next(isolation: GraphActor.shared)
      Scenario.fail("no error")
    } catch {}
  }
}
