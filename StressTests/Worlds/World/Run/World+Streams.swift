import StateGraph

/// A task that follows something, and what it has seen.
final class Follower: Sendable {
  let name: String
  let task: Task<Void, Never>
  let seen: Locked<Seen>
  /// Verifies, when nothing changes any more, whether it has seen the last value; nil if it need not.
  let isUpToDate: (@Sendable () async -> Bool)?

  struct Seen {
    var last: Int?
    var text: String?
    var count = 0
    var isOver = false
  }

  init(
    _ name: String, _ seen: Locked<Seen>, isUpToDate: (@Sendable () async -> Bool)?,
    _ body: @escaping @Sendable () async -> Void
  ) {
    self.name = name
    self.seen = seen
    self.isUpToDate = isUpToDate
    task = Task.detached {
      Watchdog.note("follower of \(name)", "following")
      await body()
      seen.with { $0.isOver = true }
      Watchdog.note("follower of \(name)", nil)
    }
  }
}

extension World {
  /// Cancels a task that follows something.
  func unfollow(_ place: Int) {
    let follower = followers.with { followers -> Follower? in
      followers.isEmpty ? nil : followers.remove(at: place % followers.count)
    }
    guard let follower else { return }
    follower.task.cancel()
    start { await follower.task.value }
  }

  /// Follows something in a task of its own.
  func follow(_ following: WorldStep.Following) {
    let follower: Follower
    switch following {
    case .values(let reference): follower = self.follower(of: source(reference), nil)
    case .changes(let reference, let buffer):
      follower = self.follower(of: source(reference), buffer)
    case .states(let place): follower = stateFollower(outcome(place))
    case .trackings(let references): follower = trackingFollower(references.map(source))
    case .commits: follower = commitFollower()
    case .throwingTrackings(let place, let number): follower = throwing(place, at: number)
    case .untilFinished(let place, let number): follower = finishing(place, at: number)
    case .first(let place, let number): follower = waiting(place, above: number, .first)
    case .wait(let place, let number): follower = waiting(place, above: number, .condition)
    case .throwingWait(let place, let number): follower = waiting(place, above: number, .throwing)
    }
    followers.with { $0.append(follower) }
  }

  private func follower<S: Source>(of source: S, _ buffer: WorldStep.Buffer?) -> Follower {
    let seen = Locked(Follower.Seen())
    let node = Weak(source)
    let name = source.name
    // A bounded buffer that keeps the oldest may have dropped the last.
    let keepsLast = buffer != .oldest
    return Follower(
      "\(name) \(buffer.map { "changes \($0)" } ?? "values")", seen,
      isUpToDate: {
        guard let source = node.object else { return seen.with { $0.isOver } }
        let expected = await GraphActor.run { source.expected }
        return seen.with { !keepsLast || $0.last.map { source.isSame($0, expected) } ?? false }
      }
    ) {
      guard let source = node.object else { return }
      let grows = source.grows
      guard let buffer else {
        await S.followValues(source) { number in
          seen.with {
            $0.last = number
            $0.count += 1
          }
          return true
        }
        return
      }
      await S.follow(source, buffer.policy) { change in
        let last = seen.with { seen in
          defer {
            seen.last = change.number
            seen.count += 1
          }
          return seen.last
        }
        if grows, let last { verifyStep(name, buffer, from: last, to: change) }
        return true
      }
    }
  }

  private func stateFollower<O: Outcome>(_ outcome: O) -> Follower {
    let seen = Locked(Follower.Seen())
    let node = Weak(outcome)
    return Follower(
      "\(outcome.name) states", seen,
      isUpToDate: {
        guard let outcome = node.object else { return seen.with { $0.isOver } }
        let expected = await GraphActor.run { outcome.expectedState }
        return seen.with { $0.text == expected }
      }
    ) {
      guard let outcome = node.object else { return }
      await O.followStates(outcome) { state in
        seen.with {
          $0.text = state
          $0.count += 1
        }
        return true
      }
    }
  }

  private func trackingFollower(_ sources: [any Source]) -> Follower {
    let seen = Locked(Follower.Seen())
    return Follower(
      "\(sources.map(\.name)) trackings", seen,
      isUpToDate: {
        let expected = await GraphActor.run { sources.reduce(0) { $0 + $1.expected } }
        return seen.with { $0.last == expected }
      }
    ) {
      for await (sum, expected) in GraphTrackings({
        (
          sources.reduce(0) { $0 + $1.number },
          GraphActor.withoutTracking { sources.reduce(0) { $0 + $1.expected } }
        )
      }) {
        require(sum == expected, "recomputation", "a tracked sum is \(sum), not \(expected)")
        seen.with { $0.last = sum }
      }
    }
  }

  private func commitFollower() -> Follower {
    let seen = Locked(Follower.Seen())
    return Follower("commits", seen, isUpToDate: nil) {
      var version: UInt64?
      for await commit in GraphActor.commits() {
        let next = version.map { $0 + 1 } ?? commit.version
        require(commit.version == next, "commits", "\(commit.version) after \(version as UInt64?)")
        require(
          Set(commit.changedNodes).count == commit.changedNodes.count, "commits",
          "a commit names a node twice")
        version = commit.version
      }
    }
  }
}

/// Verifies that a stream of a counter has lost nothing that it does not tell.
private func verifyStep(
  _ name: String, _ buffer: WorldStep.Buffer, from last: Int, to change: NumberChange
) {
  let isRight: Bool
  switch buffer {
  case .latest: isRight = change.number > last && change.dropped == 0
  case .unbounded: isRight = change.number == last + 1 && change.dropped == 0
  case .newest, .oldest: isRight = change.number == last + 1 + change.dropped
  }
  // A computed node that sums counters can pass over several at once.
  let isCounter = name.hasPrefix("counter")
  require(
    isCounter ? isRight : change.number > last, "streams",
    "\(name) changes \(buffer): \(change) after \(last)")
}

extension WorldStep.Buffer {
  var policy: GraphBuffering {
    switch self {
    case .latest: .latest
    case .unbounded: .unbounded
    case .newest: .newest(2)
    case .oldest: .oldest(2)
    }
  }
}

/// A reference that keeps nothing.
struct Weak<Object: AnyObject & Sendable>: Sendable {
  private(set) weak var object: Object?

  init(_ object: Object) {
    self.object = object
  }
}
