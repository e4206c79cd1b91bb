import StateGraph

extension SmallGraphs {
  /// Three sources written together, under rules that choose what they read.
  ///
  /// The shape of https://github.com/Riim/cellx (benchmarks). The expensive function that its rules
  /// call is most of the time.
  @GraphActor
  static func threeEntries(_ sampler: Sampler) -> Measurement {
    let graph = ThreeEntries()
    check(graph.root.wrappedValue, equals: -1, "the root before the first write")
    return sampler.measure(operations: 1_000) {
      var sum = 0
      for turn in 0..<1_000 {
        graph.write(turn % 100, (turn + 1) % 100, (turn + 2) % 100)
        sum += graph.root.wrappedValue
      }
      check(sum, equals: 1_291_000, "the sum of the roots")
    }
  }

  /// The same graph made, read once and released.
  @GraphActor
  static func createEntries(_ sampler: Sampler) -> Measurement {
    sampler.measure(operations: 1) {
      check(ThreeEntries().root.wrappedValue, equals: -1, "the root")
      removeReleasedNodes()
    }
  }
}

@GraphActor
private struct ThreeEntries {
  let root: Computed<Int>
  private let entries = [Stored(0), Stored(0), Stored(0)]

  init() {
    let (e1, e2, e3) = (entries[0], entries[1], entries[2])
    let a = Computed { _ in e1.wrappedValue + 1 }
    let b = Computed { _ in e1.wrappedValue - e2.wrappedValue + fibonacci(18) }
    let c = Computed { _ in e2.wrappedValue + e3.wrappedValue - fibonacci(18) }
    let d = Computed { _ in e3.wrappedValue - 1 }
    let e = Computed { _ in
      a.wrappedValue + (a.wrappedValue.isMultiple(of: 2) ? b.wrappedValue : 0)
    }
    let f = Computed { _ in
      (e2.wrappedValue + fibonacci(18)).isMultiple(of: 2) ? a.wrappedValue : d.wrappedValue
    }
    let g = Computed { _ in
      d.wrappedValue - (d.wrappedValue.isMultiple(of: 2) ? c.wrappedValue : 0)
    }
    root = Computed { _ in
      (e.wrappedValue.isMultiple(of: 2) ? f.wrappedValue : 0) + g.wrappedValue
    }
  }

  func write(_ first: Int, _ second: Int, _ third: Int) {
    withGraphTransaction {
      entries[0].wrappedValue = first
      entries[1].wrappedValue = second
      entries[2].wrappedValue = third
    }
  }
}

@inline(never)
private func fibonacci(_ n: Int) -> Int {
  n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
}
