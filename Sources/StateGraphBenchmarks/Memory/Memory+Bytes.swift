#if canImport(Glibc)
  import AllocationCounter
  import StateGraph

  extension Memory {
    /// What a node keeps allocated, with what the allocator adds to each block.
    ///
    /// The records of nodes and edges lie in memory that doubles when it is full and is never given
    /// back, so what it grows by depends on what was there before. Their room is taken beforehand
    /// here, and their sizes are added.
    static var bytes: [Benchmark] {
      inAllSizes("Stored<Int>, never read", unit: unit("node")) { count, _ in
        await measure(count, records: 0) { Stored($0) }
      }
        + inAllSizes("Stored<Int>, in the graph", unit: unit("node"), registeredStored)
        + inAllSizes("Stored<Int>, written ten times", unit: unit("node"), writtenStored)
        + inAllSizes("Computed<Int> of one node, with edge", unit: unit("node"), computed)
        + inAllSizes("Computed<Int>, published", unit: unit("node"), publishedComputed)
        + inAllSizes("edge", unit: unit("edge"), edges)
    }

    private static func unit(_ operation: String) -> Benchmark.Unit {
      .count(of: "bytes", per: operation)
    }

    private static let nodeRecord = MemoryLayout<NodeRecord>.stride
    private static let edgeRecord = MemoryLayout<EdgeRecord>.stride

    /// Measures what products keep allocated.
    ///
    /// - Parameters:
    ///   - count: How many products are made.
    ///   - records: The bytes of a product that lie in the memory that is taken beforehand.
    ///   - product: Makes one of them.
    /// - Returns: The bytes of one product.
    @GraphActor
    private static func measure<Product>(
      _ count: Int, records: Int, _ product: (Int) -> Product
    ) -> Measurement {
      // The second time, everything that grows has grown.
      var bytes = 0
      for _ in 0..<2 {
        var products: [Product] = []
        products.reserveCapacity(count)
        removeReleasedNodes()
        let before = allocatedBytes()
        for number in 0..<count { products.append(product(number)) }
        removeReleasedNodes()
        bytes = allocatedBytes() - before
        check(products.count, equals: count, "what was made")
        extendLifetime(products)
      }
      removeReleasedNodes()
      return Measurement(samples: [Double(bytes) / Double(count) + Double(records)])
    }

    /// A reader that lives no longer than its read leaves the node in the graph.
    @GraphActor
    private static func registeredStored(_ count: Int, _: Sampler) -> Measurement {
      measure(count, records: nodeRecord) { number in
        let node = Stored(number)
        let reader = Computed { _ in node.wrappedValue }
        check(reader.wrappedValue, equals: number, "the value")
        return node
      }
    }

    @GraphActor
    private static func writtenStored(_ count: Int, _: Sampler) -> Measurement {
      measure(count, records: 0) { number in
        let node = Stored(number)
        for value in 1...10 { node.wrappedValue = number + value }
        return node
      }
    }

    @GraphActor
    private static func computed(_ count: Int, _: Sampler) -> Measurement {
      let source = Stored(0)
      return measure(count, records: nodeRecord + edgeRecord) { _ in
        let node = Computed { _ in source.wrappedValue }
        check(node.wrappedValue, equals: 0, "the value")
        return node
      }
    }

    /// Publishes on its first read, because a reader outside of the actor could have come for it.
    @GraphActor
    private static func publishedComputed(_ count: Int, _: Sampler) -> Measurement {
      let source = Stored(0)
      return measure(count, records: nodeRecord + edgeRecord) { _ in
        let node = Computed { _ in source.wrappedValue }
        check(node._visitedValue, equals: 0, "the value")
        return node
      }
    }

    /// Ten edges more, under a rule that captures as much.
    @GraphActor
    private static func edges(_ count: Int, _: Sampler) -> Measurement {
      let sources = makeFlat(11)
      func bytes(reading number: Int) -> Double {
        measure(count, records: 0) { _ in
          let node = Computed { _ in
            var sum = 0
            for index in 0..<number { sum += sources[index].wrappedValue }
            return sum
          }
          check(node.wrappedValue, equals: number * (number - 1) / 2, "the sum")
          return node
        }.median
      }
      let difference = (bytes(reading: 11) - bytes(reading: 1)) / 10
      return Measurement(samples: [difference + Double(edgeRecord)])
    }
  }
#endif
