import StateGraph
import StateGraphTesting
import Synchronization
import Testing

/// Records one history after the other on real threads, each with nodes of its own, and judges it.
///
/// Many short ones, because the judgement of a list takes time for each element read, and because
/// the first use of a node is where much can go wrong.
struct HistoryRounds<Workload: HistoryWorkload> {
  /// How many tasks do something at the same time.
  private let taskCount = 16
  /// How much each of them does in one history.
  let steps: Int

  /// How the streams of each node buffer.
  private static var bufferings: [GraphBuffering] { [.unbounded, .latest, .newest(3)] }

  /// Records and judges until the time is over.
  func run(for seconds: Double) async {
    let deadline = StressScale.deadline(after: seconds)
    var (rounds, transactions, elements) = (0, 0, 0)
    repeat {
      let seed = StressScale.seed &+ UInt64(rounds) &* 1_000
      let history = await record(seed: seed)
      let anomalies = history.anomalies(includingAbortedReads: true)
      #expect(anomalies.isEmpty, "seed \(seed): \(anomalies)\n\(history)")
      rounds += 1
      transactions += history.transactions.count
      elements += history.streams.reduce(0) { $0 + $1.elements.count }
      if .now >= deadline || !anomalies.isEmpty {
        expectJudgement(of: history)
        break
      }
    } while true
    print(
      "\(Workload.self): \(rounds) histories, \(transactions) transactions, \(elements) elements")
  }

  /// The history is not accepted because it says nothing: with one element less it is not.
  private func expectJudgement(of history: History) {
    #expect(history.transactions.count >= taskCount * steps / 2)
    #expect(history.streams.allSatisfy { $0.end == .released })
    #expect(history.transactions.contains { $0.isWait })
    var changed = history
    guard
      let longest = changed.streams.indices.max(by: {
        changed.streams[$0].elements.count < changed.streams[$1].elements.count
      })
    else { return }
    changed.streams[longest].elements.removeLast()
    #expect(changed.anomalies().map(\.kind) == [.missingLastElement])
  }

  /// Runs the tasks, and streams that begin before the first write and end with their nodes.
  private func record(seed: UInt64) async -> History {
    let recorder = HistoryRecorder()
    await withTaskGroup { followers in
      let workload = Workload()
      let begun = Arrivals()
      for (key, node) in zip(Workload.keys, workload.nodes) {
        for buffering in Self.bufferings {
          let stream = recorder.makeLog().stream(of: key, buffering: buffering)
          let changes = node.changes(buffering: buffering)
          followers.addTask {
            var isFirst = true
            for await change in changes {
              Workload.deliver(change.value, version: change.version, to: stream)
              if isFirst { begun.count.add(1, ordering: .acquiringAndReleasing) }
              isFirst = false
            }
            stream.end(.released)
          }
        }
      }
      let streamCount = workload.nodes.count * Self.bufferings.count
      while begun.count.load(ordering: .acquiring) < streamCount { await Task.yield() }
      await withTaskGroup { waiters in
        for place in workload.nodes.indices {
          let log = recorder.makeLog()
          waiters.addTask { await wait(workload, place, log) }
        }
        await withTaskGroup { tasks in
          for number in 0..<taskCount {
            let log = recorder.makeLog()
            tasks.addTask {
              var random = SeededGenerator(seed: seed &+ UInt64(number))
              for _ in 0..<steps { await workload.step(log, &random) }
            }
          }
        }
        waiters.cancelAll()
      }
      // The streams end with the nodes, which nobody holds any more.
    }
    return recorder.history()
  }

  /// Waits again and again until another node has changed, and reads two as of that commit.
  private func wait(_ workload: Workload, _ place: Int, _ log: HistoryLog) async {
    let places = [place, (place + 1) % workload.nodes.count]
    let nodes = places.map { workload.nodes[$0] }
    var last = nodes.map(\.committedValue)
    while !Task.isCancelled {
      let before = last
      let seen = EventLog<[Workload.Value]>()
      try? await log.wait {
        try await graphWait {
          let values = nodes.map(\.wrappedValue)
          guard values != before else { return false }
          seen.record(values)
          return true
        }
        last = seen.events.last ?? before
        for (place, value) in zip(places, last) {
          Workload.read(Workload.keys[place], value, log)
        }
      }
    }
  }
}

/// How many streams have had their first elements.
private final class Arrivals: Sendable {
  let count = Atomic(0)
}
