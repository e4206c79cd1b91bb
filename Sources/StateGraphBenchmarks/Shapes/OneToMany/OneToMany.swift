import StateGraph

/// Reactions over few or many sources, made and released, and run again.
///
/// The shapes of https://github.com/solidjs/solid/blob/main/packages/solid/bench/bench.cjs, which
/// began with S.js.
enum OneToMany {
  /// How many reactions are made, over how many sources, and how many of them each reads.
  private static let creations: [(name: String, reactions: Int, sources: Int, reads: Int)] = [
    ("0 to 1", 100_000, 1, 0),
    ("1 to 1", 100_000, 100_000, 1),
    ("2 to 1", 50_000, 100_000, 2),
    ("4 to 1", 25_000, 100_000, 4),
    ("1000 to 1", 100, 100_000, 1_000),
    ("1 to 2", 100_000, 50_000, 1),
    ("1 to 4", 100_000, 25_000, 1),
    ("1 to 8", 100_000, 12_500, 1),
    ("1 to 1000", 100_000, 100, 1),
  ]

  /// How many writes are made of one source, under how many reactions that read how many sources.
  private static let updates: [(name: String, writes: Int, reactions: Int, reads: Int)] = [
    ("1 to 1", 400_000, 1, 1),
    ("2 to 1", 200_000, 1, 2),
    ("4 to 1", 100_000, 1, 4),
    ("1000 to 1", 400, 1, 1_000),
    ("1 to 2", 100_000, 2, 1),
    ("1 to 4", 100_000, 4, 1),
    ("1 to 1000", 10_000, 1_000, 1),
  ]

  static var benchmarks: [Benchmark] {
    [
      Benchmark("one to many", "create sources", unit: .nanoseconds(per: "source"), createSources),
      Benchmark(
        "one to many", "release sources", unit: .nanoseconds(per: "source"), releaseSources),
    ]
      + creations.map { shape in
        Benchmark("one to many", "create \(shape.name)", unit: .nanoseconds(per: "reaction")) {
          await create(
            reactions: shape.reactions, sources: shape.sources, reads: shape.reads, $0)
        }
      }
      + updates.map { shape in
        Benchmark("one to many", "update \(shape.name)", unit: .nanoseconds(per: "read")) {
          await update(writes: shape.writes, reactions: shape.reactions, reads: shape.reads, $0)
        }
      }
  }

  @GraphActor
  private static func createSources(_ sampler: Sampler) -> Measurement {
    let count = sampler.size(100_000, quick: 1_000)
    return sampler.measurePrepared(operations: count) {
      removeReleasedNodes()
    } _: {
      (0..<count).map { Stored($0) }
    }
  }

  @GraphActor
  private static func releaseSources(_ sampler: Sampler) -> Measurement {
    let count = sampler.size(100_000, quick: 1_000)
    return sampler.measurePrepared(operations: count) {
      Releasing((0..<count).map { Stored($0) })
    } _: { sources in
      sources.release()
    }
  }

  /// Makes reactions and releases them; the sources are there before.
  @GraphActor
  private static func create(
    reactions: Int, sources: Int, reads: Int, _ sampler: Sampler
  ) -> Measurement {
    let scale = sampler.size(1, quick: 10)
    let count = reactions / scale
    let runs = Tally()
    return sampler.measurePrepared(operations: count) {
      let sources = (0..<max(sources / scale, reads, 1)).map { Stored($0) }
      for source in sources { for _ in 0..<3 { blackHole(source.wrappedValue) } }
      return sources
    } _: { sources in
      let tracking = withGraphTracking {
        for index in 0..<count { makeReaction(index, sources, reads: reads, runs) }
      }
      tracking.cancel()
      removeReleasedNodes()
    }
  }

  /// Writes the first source, under reactions that read it and the ones after it.
  @GraphActor
  private static func update(
    writes: Int, reactions: Int, reads: Int, _ sampler: Sampler
  ) -> Measurement {
    let writes = writes / sampler.size(1, quick: 10)
    let sources = (0..<reads).map { _ in Stored(0) }
    let runs = Tally()
    let tracking = withGraphTracking {
      for _ in 0..<reactions { makeReaction(0, sources, reads: reads, runs) }
    }
    defer { extendLifetime(tracking) }
    return sampler.measurePrepared(operations: writes * reactions * reads) {
      sources[0].wrappedValue = 0
      runs.count = 0
    } _: {
      for value in 0..<writes { sources[0].wrappedValue = value }
      // The first writes what is there already.
      check(runs.count, equals: (writes - 1) * reactions, "runs of the reactions")
    }
  }
}
