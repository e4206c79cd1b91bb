import StateGraph

// How long it takes to make, to release and to update graphs of growing size.

extension Memory {
  static var making: [Benchmark] {
    inAllSizes("make Stored<Int>") { count, sampler in
      await make(count, sampler) { makeFlat(count) }
    }
      + inAllSizes("make and read a fan-out") { count, sampler in
        await make(count, sampler) { makeFan(of: Stored(0), count) }
      }
      + inAllSizes("make and read a chain") { count, sampler in
        await make(count, sampler) { makeChain(count) }
      }
  }

  /// Measures a body that makes nodes, which are kept until the clock has been stopped.
  @GraphActor
  private static func make<Product>(
    _ count: Int, _ sampler: Sampler, _ body: @GraphActor () -> Product
  ) async -> Measurement {
    await sampler.collect(once: isOnce(count)) {
      // What the sample before has left behind is not this one's.
      removeReleasedNodes()
      let start = ContinuousClock.now
      let product = body()
      let duration = start.duration(to: .now)
      extendLifetime(product)
      return (duration.nanoseconds / Double(count), nil)
    }
  }

  static var updating: [Benchmark] {
    inAllSizes("update of a chain", updateChain) + inAllSizes("update of a fan-out", updateFan)
  }

  @GraphActor
  private static func updateChain(_ count: Int, _ sampler: Sampler) async -> Measurement {
    let (source, last) = makeChain(count)
    let measurement = await sampler.collect {
      let duration = ContinuousClock().measure {
        source.wrappedValue += 1
        check(last.wrappedValue, equals: source.wrappedValue + count, "the end of the chain")
      }
      return (duration.nanoseconds / Double(count), nil)
    }
    extendLifetime(last)
    return measurement
  }

  @GraphActor
  private static func updateFan(_ count: Int, _ sampler: Sampler) async -> Measurement {
    let source = Stored(0)
    let rules = makeFan(of: source, count)
    return await sampler.collect {
      let duration = ContinuousClock().measure {
        source.wrappedValue += 1
        var last = 0
        for rule in rules { last = rule.wrappedValue }
        check(last, equals: source.wrappedValue + count - 1, "the last of the fan-out")
      }
      return (duration.nanoseconds / Double(count), nil)
    }
  }
}
