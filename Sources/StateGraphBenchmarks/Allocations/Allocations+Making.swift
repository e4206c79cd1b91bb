#if canImport(Glibc)
  import StateGraph

  /// How often memory is allocated for what is made; these are figures, and not requirements.
  extension Allocations {
    static var making: [Benchmark] {
      [
        benchmark("make a source", per: "node") { _ in await make { Stored($0) } },
        benchmark("make a derived node, read it", per: "node", makeDerived),
        benchmark("make a reaction", per: "reaction", makeReaction),
        benchmark("transaction of no writes", per: "transaction") { _ in await transaction([]) },
        benchmark("transaction of two writes", per: "transaction") { _ in
          await transaction([Stored(-1), Stored(-1)])
        },
        benchmark("transaction of ten writes", per: "transaction") { _ in
          await transaction((0..<10).map { _ in Stored(-1) })
        },
      ]
    }

    /// Counts the allocations of making something, which is kept.
    @GraphActor
    private static func make<Product>(_ product: (Int) -> Product) -> Measurement {
      var products: [Product] = []
      products.reserveCapacity(2_000)
      return count { products.append(product($0)) }
    }

    @GraphActor
    private static func makeDerived(_: Sampler) -> Measurement {
      let source = Stored(0)
      return make { number in
        let node = Computed { _ in source.wrappedValue + number }
        check(node.wrappedValue, equals: number, "the derived value")
        return node
      }
    }

    @GraphActor
    private static func makeReaction(_: Sampler) -> Measurement {
      let source = Stored(0)
      return make { _ in react { blackHole(source.wrappedValue) } }
    }

    @GraphActor
    private static func transaction(_ sources: [Stored<Int>]) -> Measurement {
      count { number in
        withGraphTransaction {
          for source in sources { source.wrappedValue = number }
        }
      }
    }
  }
#endif
