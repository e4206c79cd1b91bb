import StateGraph

/// What streams deliver, and what they cost those who commit.
enum Streams {
  static var benchmarks: [Benchmark] {
    throughput + latency + idle
  }

  private static var throughput: [Benchmark] {
    [1, 10, 1_000].flatMap { consumers in
      let who = "\(consumers) \(consumers == 1 ? "consumer" : "consumers")"
      return [
        Benchmark("streams", "values, in step, \(who)", unit: .nanoseconds(per: "element")) {
          await inStep(consumers, $0)
        },
        Benchmark("streams", "changes, unbounded, \(who)", unit: .nanoseconds(per: "element")) {
          await unbounded(consumers, $0)
        },
      ]
    }
  }

  /// Takes elements until one of them is the end.
  ///
  /// - Parameters:
  ///   - sequence: What is followed; it has a current element.
  ///   - first: Is called for the first element.
  ///   - handler: Is called for each other element that is not negative.
  /// - Returns: A task that returns the number of elements, without the first and the last.
  static func follow<Elements: AsyncSequence & Sendable>(
    _ sequence: Elements, first: Countdown, _ handler: @escaping @Sendable (Int) -> Void
  ) -> Task<Int, Never> where Elements.Element == Int, Elements.Failure == Never {
    Task {
      var iterator = sequence.makeAsyncIterator()
      blackHole(await iterator.next(isolation: nil) ?? -1)
      first.arrive()
      var count = 0
      while let value = await iterator.next(isolation: nil), value >= 0 {
        count += 1
        handler(value)
      }
      return count
    }
  }

  /// Every write waits until all consumers have taken it, so that each takes all.
  private static func inStep(_ consumers: Int, _ sampler: Sampler) async -> Measurement {
    let node = Stored(0)
    let countdown = Countdown(consumers)
    let tasks = (0..<consumers).map { _ in
      follow(node.values, first: countdown) { _ in countdown.arrive() }
    }
    await countdown.wait()
    let writes = sampler.size(max(10, 5_000 / consumers), quick: 2)
    var written = 0
    let measurement = await sampler.collect {
      let start = ContinuousClock.now
      for _ in 0..<writes {
        countdown.restart(from: consumers)
        written += 1
        await node.set(written)
        await countdown.wait()
      }
      return (start.duration(to: .now).nanoseconds / Double(writes * consumers), nil)
    }
    await end(node, tasks, elements: written)
    return measurement
  }

  /// Many writes one after the other, all of which every consumer gets.
  private static func unbounded(_ consumers: Int, _ sampler: Sampler) async -> Measurement {
    let node = Stored(0)
    let writes = sampler.size(max(20, 10_000 / consumers), quick: 2)
    let countdown = Countdown(consumers)
    let tasks = (0..<consumers).map { _ in
      follow(ChangedValues(node.changes(buffering: .unbounded)), first: countdown) { value in
        if value.isMultiple(of: writes) { countdown.arrive() }
      }
    }
    await countdown.wait()
    var written = 0
    let measurement = await sampler.collect {
      countdown.restart(from: consumers)
      let start = ContinuousClock.now
      await GraphActor.run { [first = written + 1] in
        for value in first..<(first + writes) { node.wrappedValue = value }
      }
      await countdown.wait()
      written += writes
      return (start.duration(to: .now).nanoseconds / Double(writes * consumers), nil)
    }
    await end(node, tasks, elements: written)
    return measurement
  }

  private static func end(
    _ node: Stored<Int>, _ tasks: [Task<Int, Never>], elements: Int
  ) async {
    await node.set(-1)
    for task in tasks { check(await task.value, equals: elements, "elements of a consumer") }
  }
}

/// The values of changes.
private struct ChangedValues: AsyncSequence, Sendable {
  let changes: GraphChanges<Int>

  init(_ changes: GraphChanges<Int>) {
    self.changes = changes
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(changes: changes.makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    var changes: GraphChanges<Int>.Iterator

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      await changes.next(isolation: actor)?.value
    }
  }
}
