#if canImport(Glibc)
  import AllocationCounter
  import StateGraph

  /// How often the process allocates memory for a turn of a graph that has come to rest.
  ///
  /// Nothing may be allocated, except by the witness, without which a counter that does not count
  /// would look like success.
  enum Allocations {
    static var benchmarks: [Benchmark] {
      [
        benchmark("witness", witness),
        benchmark("lone write", loneWrite),
        benchmark("lone read", loneRead),
        benchmark("read of a derived value", derivedRead),
        benchmark("write under a reaction", reaction),
        benchmark("propagate 10 x 10", propagate),
        benchmark("diamond", diamond),
        benchmark("unstable", unstable),
      ] + making
    }

    static func benchmark(
      _ name: String, per operation: String = "turn",
      _ body: @escaping @Sendable (Sampler) async -> Measurement
    ) -> Benchmark {
      Benchmark("allocations", name, unit: .count(of: "allocations", per: operation), body)
    }

    /// Counts the allocations of many calls of a body, after as many that are not counted.
    ///
    /// - Parameter turn: Is called with the number of the turn, so that it writes something new.
    /// - Returns: The allocations of one turn.
    @GraphActor
    static func count(_ turn: (Int) -> Void) -> Measurement {
      let turns = 1_000
      for number in 0..<turns { turn(number) }
      let before = allocationCount()
      for number in turns..<(2 * turns) { turn(number) }
      let allocations = allocationCount() - before
      return Measurement(samples: [Double(allocations) / Double(turns)])
    }

    /// Counts like `count(_:)`, and ends the process if anything was allocated.
    @GraphActor
    static func countNone(_ what: String, _ turn: (Int) -> Void) -> Measurement {
      let measurement = count(turn)
      // Code that is not optimised allocates for its closures, and checks the engine's invariants.
      #if !DEBUG
        check(measurement.median, equals: 0, "allocations per turn of \(what)")
      #endif
      return measurement
    }

    @GraphActor
    private static func witness(_: Sampler) -> Measurement {
      final class Object {}
      let measurement = count { _ in blackHole(Object()) }
      check(measurement.median >= 1, "the counter counts no allocations")
      return measurement
    }
  }
#endif
