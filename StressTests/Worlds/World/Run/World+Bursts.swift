import Foundation
import StateGraph

/// How often a burst reads or writes.
private let burstLength = 40

extension World {
  /// Reads committed values again and again: who has seen a commit in one node sees it in all.
  func readBurst(_ triplet: Triplet, _ counter: Counter) {
    var last = 0
    // A read takes less time than a write.
    for turn in 0..<burstLength * 10 {
      let first = triplet.number.node.committedValue
      let second = committed(triplet.text, triplet)
      require(second >= first, "order of reads", "\(triplet.text.name): \(second) after \(first)")
      require(first >= last, "order of reads", "\(triplet.number.name): \(first) after \(last)")
      last = second
      verifyEchoes(counter, turn)
    }
  }

  /// Reads a counter, and then what derives from it.
  private func verifyEchoes(_ counter: Counter, _ turn: Int) {
    let number = counter.source.committedNumber ?? 0
    let echo = counter.echoes[turn % counter.echoes.count]
    guard let derived = echo.committedValue else { return }
    require(
      derived >= number, "order of reads",
      "an echo of \(counter.source.name): \(derived) after \(number)")
  }

  private func committed(_ text: StoredSource<TextCoding>, _ triplet: Triplet) -> Int {
    decode(TextCoding.self, text.node.committedValue, text.name)
  }

  /// Reads several nodes at one version, and one after the other.
  func snapshotBurst(_ triplet: Triplet, _ counter: Counter) async {
    for turn in 0..<burstLength {
      await triplet.look(turn.isMultiple(of: 2) ? .values : .snapshot)
      let number = await counter.source.currentNumber()
      for echo in counter.echoes {
        let derived = await echo.value
        require(
          derived >= number, "order of reads",
          "an echo of \(counter.source.name): \(derived) after \(number)")
      }
      let before = await board.currentNumber()
      let after = await board.currentNumber()
      require(after >= before, "order of reads", "the board: \(after) after \(before)")
      let list = await triplet.list.currentNumber()
      let text = await triplet.text.currentNumber()
      require(text >= list, "order of reads", "\(triplet.text.name): \(text) after \(list)")
    }
  }

  /// Writes while a thread and a task read the same nodes.
  func race(_ triplet: Triplet, _ counter: Counter) async {
    let isOver = Tally()
    async let reading: Void = snapshotBurst(triplet, counter)
    async let onThread: Void = withCheckedContinuation { continuation in
      let thread = Thread {
        repeat { self.readBurst(triplet, counter) } while isOver.value == 0
        continuation.resume()
      }
      thread.start()
    }
    await writeBurst(triplet, counter)
    isOver.add()
    _ = await (reading, onThread)
  }

  /// Writes again and again.
  func writeBurst(_ triplet: Triplet, _ counter: Counter) async {
    for turn in 0..<burstLength {
      if turn.isMultiple(of: 2) {
        await withGraphTransaction { triplet.step() }
      } else {
        await counter.increment(turn % 4 == 1 ? .alone : .transaction)
        await board.step()
        // Published again at once, so that the next commit has something to take back.
        await GraphActor.run { for echo in counter.echoes { _ = echo.wrappedValue } }
      }
    }
  }
}
