extension Sampler {
  /// Measures a body that awaits, where it is isolated.
  ///
  /// - Parameters:
  ///   - operations: How many operations one call of the body is.
  ///   - isolation: Where the body runs: where this is called.
  ///   - body: What is measured.
  /// - Returns: The samples.
  func measureAwaiting(
    operations: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void
  ) async -> Measurement {
    let clock = ContinuousClock()
    var calls = 1
    while !isQuick {
      let start = clock.now
      for _ in 0..<calls { await body() }
      if start.duration(to: clock.now) >= shortestSample { break }
      calls *= 2
    }
    var measurement = Measurement(samples: [])
    let begin = clock.now
    repeat {
      let start = clock.now
      for _ in 0..<calls { await body() }
      let duration = start.duration(to: clock.now)
      measurement.samples.append(duration.nanoseconds / Double(calls * operations))
    } while needsMore(samples: measurement.samples.count, since: begin)
    return measurement
  }

  /// Collects samples that something else times.
  ///
  /// - Parameters:
  ///   - isOnce: Whether one sample is all that is wanted, because it takes so long.
  ///   - isolation: Where the samples are taken: where this is called.
  ///   - sample: Takes a sample, in nanoseconds or as a number of things for each operation, and one
  ///     of the floor if there is one. The first is taken for the warmth, and not kept.
  /// - Returns: The samples.
  func collect(
    once isOnce: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ sample: () async -> Sample
  ) async -> Measurement {
    if !isQuick && !isOnce { _ = await sample() }
    var measurement = Measurement(samples: [])
    let begin = ContinuousClock.now
    repeat {
      let (result, floor) = await sample()
      measurement.samples.append(result)
      if let floor { measurement.floorSamples.append(floor) }
    } while !isOnce && needsMore(samples: measurement.samples.count, since: begin)
    return measurement
  }

  /// A result, and that of the floor if there is one.
  typealias Sample = (result: Double, floor: Double?)
}
