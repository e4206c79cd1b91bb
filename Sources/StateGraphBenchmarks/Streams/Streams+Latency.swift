import StateGraph

extension Streams {
  /// From a write to the answer of a consumer that has waited for it; the floor is an `AsyncStream`
  /// that keeps the newest element, in the same structure.
  static var latency: [Benchmark] {
    [
      Benchmark("streams", "ping, answered at once", unit: .nanoseconds(per: "round"), answer),
      Benchmark("streams", "ping-pong over two nodes", unit: .nanoseconds(per: "round"), pingPong),
      Benchmark(
        "streams", "ping, consumer has long waited", unit: .nanoseconds(per: "round"), longWaited),
    ]
  }

  /// A stream of the kind that everything here is compared with.
  private static func makeStream() -> (AsyncStream<Int>, AsyncStream<Int>.Continuation) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield(0)
    return (stream, continuation)
  }

  /// The consumer resumes the writer's continuation.
  private static func answer(_ sampler: Sampler) async -> Measurement {
    await answer(sampler, pausing: false)
  }

  /// The writer gives the consumer time to begin its wait, which is not measured.
  private static func longWaited(_ sampler: Sampler) async -> Measurement {
    await answer(sampler, pausing: true)
  }

  private static func answer(_ sampler: Sampler, pausing: Bool) async -> Measurement {
    let countdown = Countdown(2)
    let node = Stored(0)
    let (stream, continuation) = makeStream()
    let consumers = [
      follow(node.values, first: countdown) { _ in countdown.arrive() },
      follow(stream, first: countdown) { _ in countdown.arrive() },
    ]
    await countdown.wait()
    let rounds = sampler.size(pausing ? 100 : 2_000, quick: 20)
    var round = 0
    let measurement = await sampler.collect {
      var (result, floor) = (Duration.zero, Duration.zero)
      for number in (round + 1)...(round + rounds) {
        if pausing { await pause() }
        countdown.restart(from: 1)
        let start = ContinuousClock.now
        await node.set(number)
        await countdown.wait()
        result += start.duration(to: .now)
      }
      for number in (round + 1)...(round + rounds) {
        if pausing { await pause() }
        countdown.restart(from: 1)
        let start = ContinuousClock.now
        continuation.yield(number)
        await countdown.wait()
        floor += start.duration(to: .now)
      }
      round += rounds
      return (result.nanoseconds / Double(rounds), floor.nanoseconds / Double(rounds))
    }
    await node.set(-1)
    continuation.yield(-1)
    for consumer in consumers {
      check(await consumer.value, equals: round, "elements of a consumer")
    }
    return measurement
  }

  private static func pause() async {
    do {
      try await Task.sleep(for: .microseconds(50))
    } catch {
      check(false, "a task was cancelled that nobody cancels")
    }
  }

  /// The consumer answers by a second node, and the writer follows that.
  private static func pingPong(_ sampler: Sampler) async -> Measurement {
    let countdown = Countdown(2)
    let (ping, pong) = (Stored(0), Stored(0))
    let (pings, pingContinuation) = makeStream()
    let (pongs, pongContinuation) = makeStream()
    let answering = Task {
      for await value in ping.values {
        if value == 0 { countdown.arrive() }
        await pong.set(value)
        if value < 0 { break }
      }
    }
    let floorAnswering = Task {
      for await value in pings {
        if value == 0 { countdown.arrive() } else { pongContinuation.yield(value) }
        if value < 0 { break }
      }
    }
    await countdown.wait()
    var (values, floorValues) = (pong.values.makeAsyncIterator(), pongs.makeAsyncIterator())
    check(await values.next(isolation: nil), equals: 0, "the first value")
    check(await floorValues.next(isolation: nil), equals: 0, "the first element")
    let rounds = sampler.size(2_000, quick: 20)
    var round = 0
    let measurement = await sampler.collect {
      var start = ContinuousClock.now
      for number in (round + 1)...(round + rounds) {
        await ping.set(number)
        check(await values.next(isolation: nil), equals: number, "the answer")
      }
      let result = start.duration(to: .now).nanoseconds / Double(rounds)
      start = .now
      for number in (round + 1)...(round + rounds) {
        pingContinuation.yield(number)
        check(await floorValues.next(isolation: nil), equals: number, "the answer")
      }
      round += rounds
      return (result, start.duration(to: .now).nanoseconds / Double(rounds))
    }
    await ping.set(-1)
    pingContinuation.yield(-1)
    _ = await (answering.value, floorAnswering.value)
    return measurement
  }
}
