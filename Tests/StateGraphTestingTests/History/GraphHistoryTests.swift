import StateGraph
import StateGraphTesting
import Testing

/// What the graph does under several tasks is recorded and accepted.
@Suite(.timeLimit(.minutes(10))) struct GraphHistoryTests {
  private struct Rollback: Error {}

  static let keys = ["a", "b", "c", "d"]

  /// Runs tasks that use nodes and streams that follow them, until the tasks are done and the nodes
  /// are released.
  ///
  /// - Parameters:
  ///   - value: The first value of the nodes.
  ///   - task: What one of four tasks does.
  ///   - follow: Follows a node to its end.
  /// - Returns: What was recorded.
  private func record<Value: Sendable & Equatable>(
    from value: Value,
    _ task: @escaping @Sendable (HistoryLog, [Stored<Value>], UInt64) async -> Void,
    follow: @escaping @Sendable (GraphChanges<Value>, HistoryStreamLog) async -> Void
  ) async -> History {
    let recorder = HistoryRecorder()
    await withTaskGroup { followers in
      let nodes = Self.keys.map { Stored(value, name: $0) }
      for (number, node) in nodes.enumerated() {
        for buffering in [GraphBuffering.unbounded, .latest, .newest(3)] {
          let stream = recorder.makeLog().stream(of: Self.keys[number], buffering: buffering)
          let changes = node.changes(buffering: buffering)
          followers.addTask { await follow(changes, stream) }
        }
      }
      await withTaskGroup { tasks in
        for seed in 0..<4 {
          let log = recorder.makeLog()
          tasks.addTask { await task(log, nodes, UInt64(seed)) }
        }
      }
      // The streams end with the nodes, which nobody holds any more.
    }
    return recorder.history()
  }

  @Test func `transactions that await, beside all others`() async {
    let history = await record(from: 0) { log, nodes, seed in
      var generator = SeededGenerator(seed: 100 + seed)
      for _ in 0..<150 {
        let first = Int.random(in: 0..<4, using: &generator)
        let second = Int.random(in: 0..<4, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
          await log.transaction {
            await withGraphTransaction {
              log.read(Self.keys[first], nodes[first].wrappedValue)
              nodes[first].wrappedValue = log.write(Self.keys[first])
            }
          }
        case 1:
          await log.transaction { _ = log.read(Self.keys[first], await nodes[first].value) }
        default:
          // Each attempt is a transaction of the history: one that meets a conflict is discarded.
          for _ in 0..<100 {
            do {
              try await log.transaction {
                try await withGraphTransaction(maximumAttempts: 1) {
                  log.read(Self.keys[first], nodes[first].wrappedValue)
                  await Task.yield()
                  log.read(Self.keys[second], nodes[second].wrappedValue)
                  nodes[second].wrappedValue = log.write(Self.keys[second])
                  log.read(Self.keys[second], nodes[second].wrappedValue)
                }
              }
              break
            } catch {
              #expect(error is GraphTransactionError)
            }
          }
        }
      }
    } follow: { changes, stream in
      for await change in changes { stream.deliver(change.value, version: change.version) }
      stream.end(.released)
    }
    expectAccepted(history)
  }

  @Test func `registers under transactions, single writes, reads and streams`() async {
    let history = await record(from: 0) { log, nodes, seed in
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<300 {
        let first = Int.random(in: 0..<4, using: &generator)
        let second = Int.random(in: 0..<4, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
          await log.transaction { await nodes[first].set(log.write(Self.keys[first])) }
        case 1:
          await log.transaction { _ = log.read(Self.keys[first], await nodes[first].value) }
        case 2:
          await log.transaction {
            await GraphActor.run {
              for number in 0..<4 { log.read(Self.keys[number], nodes[number].wrappedValue) }
            }
          }
        case 3:
          try? await log.transaction {
            try await withGraphTransaction {
              nodes[first].wrappedValue = log.write(Self.keys[first])
              throw Rollback()
            }
          }
        default:
          await log.transaction {
            await withGraphTransaction {
              log.read(Self.keys[first], nodes[first].wrappedValue)
              nodes[second].wrappedValue = log.write(Self.keys[second])
              nodes[first].wrappedValue = log.write(Self.keys[first])
              log.read(Self.keys[second], nodes[second].wrappedValue)
            }
          }
        }
      }
    } follow: { changes, stream in
      for await change in changes { stream.deliver(change.value, version: change.version) }
      stream.end(.released)
    }
    expectAccepted(history)
  }

  @Test func `lists under transactions and streams`() async {
    let history = await record(from: [Int]()) { log, nodes, seed in
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<100 {
        let first = Int.random(in: 0..<4, using: &generator)
        let second = Int.random(in: 0..<4, using: &generator)
        await log.transaction {
          await withGraphTransaction {
            log.read(Self.keys[first], nodes[first].wrappedValue)
            nodes[second].wrappedValue.append(log.append(Self.keys[second]))
          }
        }
      }
    } follow: { changes, stream in
      for await change in changes { stream.deliver(change.value, version: change.version) }
      stream.end(.released)
    }
    expectAccepted(history)
  }

  private func expectAccepted(_ history: History) {
    let anomalies = history.anomalies(includingAbortedReads: true)
    #expect(anomalies.isEmpty, "\(anomalies)")
    // The history is not accepted because it says nothing.
    #expect(history.transactions.count >= 400)
    #expect(history.streams.contains { $0.elements.count > 50 })
    #expect(history.streams.allSatisfy { $0.end == .released })
    var changed = history
    guard
      let longest = history.streams.indices.max(by: {
        history.streams[$0].elements.count < history.streams[$1].elements.count
      })
    else { return }
    changed.streams[longest].elements.removeLast()
    #expect(changed.anomalies().map(\.kind) == [.missingLastElement])
  }
}
