import StateGraph

/// Many small trees that have nothing to do with each other.
///
/// The shape of https://github.com/salsa-rs/salsa (benches): 256 inputs, each under a root of two
/// branches of two leaves.
enum Trees {
  static var benchmarks: [Benchmark] {
    [
      Benchmark("trees", "first read", unit: .nanoseconds(per: "rule"), firstRead),
      Benchmark("trees", "cached read", unit: .nanoseconds(per: "root"), cachedRead),
      Benchmark("trees", "read after another write", unit: .nanoseconds(per: "root"), otherWrite),
      Benchmark("trees", "all inputs change", unit: .nanoseconds(per: "rule"), allChange),
    ]
  }

  @GraphActor
  private static func firstRead(_ sampler: Sampler) -> Measurement {
    sampler.measurePrepared(operations: 256 * 7) {
      (0..<256).map { Tree(Stored($0)) }
    } _: { trees in
      check(sum(of: trees), equals: 133_120, "the sum of the roots")
    }
  }

  @GraphActor
  private static func cachedRead(_ sampler: Sampler) -> Measurement {
    let trees = (0..<256).map { Tree(Stored($0)) }
    return sampler.measure(operations: 256) {
      check(sum(of: trees), equals: 133_120, "the sum of the roots")
    }
  }

  /// Nothing that the trees read has changed.
  @GraphActor
  private static func otherWrite(_ sampler: Sampler) -> Measurement {
    let trees = (0..<256).map { Tree(Stored($0)) }
    let other = Stored(0)
    return sampler.measure(operations: 256) {
      other.wrappedValue += 1
      check(sum(of: trees), equals: 133_120, "the sum of the roots")
    }
  }

  @GraphActor
  private static func allChange(_ sampler: Sampler) -> Measurement {
    let trees = (0..<256).map { Tree(Stored($0)) }
    return sampler.measure(operations: 2 * 256 * 7) {
      for (factor, expected) in [(2, 263_680), (1, 133_120)] {
        withGraphTransaction {
          for (index, tree) in trees.enumerated() { tree.input.wrappedValue = factor * index }
        }
        check(sum(of: trees), equals: expected, "the sum of the roots")
      }
    }
  }

  @GraphActor
  private static func sum(of trees: [Tree]) -> Int {
    var sum = 0
    for tree in trees { sum += tree.root.wrappedValue }
    return sum
  }
}

@GraphActor
private struct Tree {
  let input: Stored<Int>
  let root: Computed<Int>

  init(_ input: Stored<Int>) {
    self.input = input
    let leaves = (1...4).map { number in Computed { _ in input.wrappedValue + number } }
    let (first, second, third, fourth) = (leaves[0], leaves[1], leaves[2], leaves[3])
    let left = Computed { _ in first.wrappedValue + second.wrappedValue }
    let right = Computed { _ in third.wrappedValue + fourth.wrappedValue }
    root = Computed { _ in left.wrappedValue + right.wrappedValue }
  }
}
