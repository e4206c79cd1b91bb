import StateGraph

/// Measures how long something takes.
///
/// A body is repeated until it lasts long enough for the clock, which also warms it up; this makes
/// one sample, and the number of repetitions stays the same for the samples that follow.
struct Sampler: Sendable {
  /// Whether everything runs once, only to see whether it is right.
  let isQuick: Bool

  /// How long a sample lasts at least.
  let shortestSample = Duration.milliseconds(5)

  /// How long all samples of a benchmark last, as soon as there are `fewestSamples`.
  private let patience = Duration.milliseconds(1_200)

  private let fewestSamples = 5
  private let mostSamples = 21

  /// Makes a sampler.
  init(isQuick: Bool) {
    self.isQuick = isQuick
  }

  /// A size that is smaller if everything is to run once.
  func size(_ full: Int, quick: Int) -> Int {
    isQuick ? quick : full
  }

  /// Measures a body, in turn with a floor if there is one.
  ///
  /// - Parameters:
  ///   - operations: How many operations one call of the body, and of the floor, is.
  ///   - floor: Does what the user's closures do, without the library.
  ///   - body: What is measured. It is called many times, so it has to come back to where it began.
  /// - Returns: The samples.
  func measure(
    operations: Int, floor: (() -> Void)? = nil, _ body: () -> Void
  ) -> Measurement {
    let calls = callsPerSample(of: body)
    let floorCalls = floor.map { callsPerSample(of: $0) } ?? 0
    var measurement = Measurement(samples: [])
    sample {  // In turn, so that a slow second of the machine hits both.
      let duration = time { for _ in 0..<calls { body() } }
      measurement.samples.append(duration.nanoseconds / Double(calls * operations))
      if let floor {
        let duration = time { for _ in 0..<floorCalls { floor() } }
        measurement.floorSamples.append(duration.nanoseconds / Double(floorCalls * operations))
      }
    }
    return measurement
  }

  /// Measures a body that needs something fresh for every call.
  ///
  /// - Parameters:
  ///   - operations: How many operations one call of the body is.
  ///   - prepare: Makes what the body needs; not measured, nor is the release of what it makes.
  ///   - body: What is measured. What it returns is kept until the clock has been stopped.
  /// - Returns: The samples.
  @GraphActor
  func measurePrepared<Material, Remains>(
    operations: Int, preparing prepare: () -> Material, _ body: (Material) -> Remains
  ) -> Measurement {
    var measurement = Measurement(samples: [])
    if !isQuick { _ = body(prepare()) }
    sample {
      let material = prepare()
      // What the sample before has left behind is not this one's.
      removeReleasedNodes()
      let clock = ContinuousClock()
      let start = clock.now
      let remains = body(material)
      let end = clock.now
      extendLifetime(material)
      extendLifetime(remains)
      measurement.samples.append(start.duration(to: end).nanoseconds / Double(operations))
    }
    return measurement
  }
}

// MARK: - How often

extension Sampler {
  private func time(_ body: () -> Void) -> Duration {
    ContinuousClock().measure(body)
  }

  private func callsPerSample(of body: () -> Void) -> Int {
    guard !isQuick else { return 1 }
    var calls = 1
    while time({ for _ in 0..<calls { body() } }) < shortestSample { calls *= 2 }
    return calls
  }

  private func sample(_ body: () -> Void) {
    let begin = ContinuousClock.now
    var count = 0
    repeat {
      body()
      count += 1
    } while needsMore(samples: count, since: begin)
  }

  /// Whether there are too few samples yet.
  func needsMore(samples: Int, since begin: ContinuousClock.Instant) -> Bool {
    if isQuick || samples >= mostSamples { return false }
    return samples < fewestSamples || begin.duration(to: .now) < patience
  }
}

extension Duration {
  /// The length in nanoseconds.
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
