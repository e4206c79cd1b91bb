import StateGraph
import Testing

extension Conformance {
  /// What observers of a single value can rely on, also while tasks write at the same time.
  ///
  /// Left out: 347 (`update` instead), 349 (no callbacks), 350 (rules are synchronous).
  @Suite(.timeLimit(.minutes(5))) struct ValueContract {
    @Test @GraphActor func `equal values are not delivered`() async {  // case 342
      let consumer: Consumer<GraphChange<Int?>>
      do {
        let node = Stored<Int?>(0)
        consumer = Consumer(node.changes(buffering: .unbounded))
        #expect(await consumer.take().map(\.value) == [0])
        for value in [1, 1, nil, nil, 2] { node.wrappedValue = value }
      }
      // The node is gone, and so the sequence ends.
      #expect(await consumer.rest().map(\.value) == [1, nil, 2])
    }

    @Test func `each increment is delivered`() async {  // case 344
      let node = Stored(0)
      var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
      var sum = await changes.next()?.value ?? -1
      let writer = Task {
        for _ in 0..<10 { await node.update { $0 += 1 } }
      }
      for _ in 0..<10 { sum += await changes.next()?.value ?? -1 }
      await writer.value
      #expect(sum == 55)
    }

    @Test func `a collector sees a counter grow`() async {  // case 345
      let node = Stored(0)
      let collector = Task {
        var last = -1
        var isMonotonic = true
        // A new subscription may begin with the value that the last one ended with.
        while last < 5_000 {
          var count = 0
          for await value in node.values {
            isMonotonic = isMonotonic && value >= last
            last = value
            count += 1
            if count == 100 || last == 5_000 { break }
          }
        }
        return isMonotonic
      }
      for value in 1...5_000 { await node.set(value) }
      #expect(await collector.value)
    }

    @Test func `updates are atomic`() async {  // case 346
      let node = Stored(0)
      await withTaskGroup { group in
        for _ in 0..<10 {
          group.addTask {
            for _ in 0..<500 { await node.update { $0 += 1 } }
          }
        }
      }
      #expect(await node.value == 5_000)
    }

    @Test func `an observer that begins during a write misses nothing`() async {  // case 351
      for _ in 0..<500 {
        let node = Stored(0)
        let double = Computed { _ in node.wrappedValue * 2 }
        async let write: Void = node.set(1)
        var elements: [Int] = []
        for await element in double.values {
          elements.append(element)
          if element == 2 { break }
        }
        await write
        #expect(elements == [2] || elements == [0, 2])
      }
    }
  }
}
