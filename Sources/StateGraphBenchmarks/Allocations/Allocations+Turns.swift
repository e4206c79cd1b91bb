#if canImport(Glibc)
  import StateGraph

  extension Allocations {
    @GraphActor
    static func loneWrite(_: Sampler) -> Measurement {
      let source = Stored(-1)
      return countNone("a lone write") { source.wrappedValue = $0 }
    }

    @GraphActor
    static func loneRead(_: Sampler) -> Measurement {
      let source = Stored(-1)
      return countNone("a lone read") { _ in blackHole(source.wrappedValue) }
    }

    @GraphActor
    static func derivedRead(_: Sampler) -> Measurement {
      let source = Stored(-1)
      let next = Computed { _ in source.wrappedValue + 1 }
      return countNone("a read of a derived value") { number in
        source.wrappedValue = number
        check(next.wrappedValue, equals: number + 1, "the derived value")
      }
    }

    @GraphActor
    static func reaction(_: Sampler) -> Measurement {
      let source = Stored(-1)
      let reaction = react { blackHole(source.wrappedValue) }
      defer { extendLifetime(reaction) }
      return countNone("a write under a reaction") { source.wrappedValue = $0 }
    }

    @GraphActor
    static func propagate(_: Sampler) -> Measurement {
      let grid = Grid(width: 10, height: 10)
      return countNone("the grid") { _ in grid.source.wrappedValue += 1 }
    }

    @GraphActor
    static func diamond(_: Sampler) -> Measurement {
      let graph = DiamondLife(counting: Tally())
      return countNone("the diamond") { number in
        graph.source.wrappedValue = number
        check(graph.read(), equals: 5 * (number + 1), "the sum")
      }
    }

    @GraphActor
    static func unstable(_: Sampler) -> Measurement {
      let graph = UnstableLife(counting: Tally())
      return countNone("the unstable graph") { number in
        graph.source.wrappedValue = number
        check(
          graph.read(), equals: 20 * (number.isMultiple(of: 2) ? -number : 2 * number), "the sum")
      }
    }
  }
#endif
