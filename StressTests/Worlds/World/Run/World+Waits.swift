import StateGraph

/// How a counter is waited for.
enum Wait {
  case first, condition, throwing
}

extension World {
  /// A wait that a commit, or the end of the world, ends.
  func waiting(_ place: Int, above number: Int, _ wait: Wait) -> Follower {
    let counter = counters[place].source
    let closing = closing
    let seen = Locked(Follower.Seen())
    return Follower(
      "\(counter.name) \(wait)", seen, isUpToDate: { seen.with { $0.isOver } }
    ) {
      do {
        switch wait {
        case .first:
          // The condition may read other nodes, too.
          let isClosing = Computed { _ in closing.wrappedValue || counter.number > number }
          _ = try await isClosing.first { $0 }
        case .condition:
          try await graphWait { closing.wrappedValue || counter.number > number }
        case .throwing:
          try await graphWait {
            if closing.wrappedValue || counter.number > number { throw WorldFailure(number: 2) }
            return false
          }
          report("waits", "a condition that throws has ended a wait without an error")
        }
      } catch is WorldFailure where wait == .throwing {
      } catch is CancellationError {
        require(Task.isCancelled, "waits", "a wait was cancelled and its task was not")
        return
      } catch {
        report("waits", "a wait has failed: \(error)")
      }
      let reached = counter.committedNumber ?? 0
      require(
        closing.committedValue || reached > number, "waits",
        "\(counter.name) is \(reached) after a wait for more than \(number)")
    }
  }

  /// A tracked expression that throws.
  func throwing(_ place: Int, at number: Int) -> Follower {
    let counter = counters[place].source
    let closing = closing
    let seen = Locked(Follower.Seen())
    return Follower(
      "\(counter.name) throwing trackings", seen, isUpToDate: { seen.with { $0.isOver } }
    ) {
      let expression = GraphTrackings { () throws(WorldFailure) -> Int in
        let reached = counter.number
        if reached >= number || closing.wrappedValue { throw WorldFailure(number: reached) }
        return reached
      }
      do {
        for try await reached in expression { seen.with { $0.last = reached } }
        require(Task.isCancelled, "streams", "a tracked expression ended without its error")
      } catch {
        let reached = (error as? WorldFailure)?.number ?? -1
        require(
          reached >= number || closing.committedValue, "streams", "thrown at \(reached)")
      }
    }
  }

  /// A tracked expression that says when it ends.
  func finishing(_ place: Int, at number: Int) -> Follower {
    let counter = counters[place].source
    let closing = closing
    let seen = Locked(Follower.Seen())
    return Follower(
      "\(counter.name) until finished", seen, isUpToDate: { seen.with { $0.isOver } }
    ) {
      let expression = GraphTrackings<Int, Never>.untilFinished {
        let reached = counter.number
        return reached >= number || closing.wrappedValue ? .finish : .next(reached)
      }
      for await reached in expression {
        require(reached < number, "streams", "an element \(reached) after the end at \(number)")
      }
      require(
        Task.isCancelled || closing.committedValue || counter.committedNumber ?? 0 >= number,
        "streams", "a tracked expression ended early")
    }
  }
}
