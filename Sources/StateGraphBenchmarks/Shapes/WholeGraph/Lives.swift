import StateGraph

/// Five arms and their sum.
struct DiamondLife: Life {
  static let turns = 500
  static let lastValue = 2_505
  static let runs = 6 * 501

  let source = Stored(0)
  private let sum: Computed<Int>

  init(counting runs: Tally) {
    let arms = (0..<5).map { [source] _ in
      Computed { _ in
        runs.count += 1
        return source.wrappedValue + 1
      }
    }
    sum = Computed { _ in
      runs.count += 1
      var sum = 0
      for arm in arms { sum += arm.wrappedValue }
      return sum
    }
  }

  func read() -> Int { sum.wrappedValue }
}

/// A chain of fifty.
struct DeepLife: Life {
  static let turns = 50
  static let lastValue = 100
  static let runs = 50 * 51

  let source = Stored(0)
  private let tail: Computed<Int>

  init(counting runs: Tally) {
    let head = Computed { [source] _ in
      runs.count += 1
      return source.wrappedValue + 1
    }
    tail = (1..<50).reduce(head) { last, _ in
      Computed { _ in
        runs.count += 1
        return last.wrappedValue + 1
      }
    }
  }

  func read() -> Int { tail.wrappedValue }
}

/// Fifty arms of two, all of which are read.
struct BroadLife: Life {
  static let turns = 50
  static let lastValue = 100
  static let runs = 100 * 51

  let source = Stored(0)
  private let leaves: [Computed<Int>]

  init(counting runs: Tally) {
    leaves = (0..<50).map { [source] arm in
      let first = Computed { _ in
        runs.count += 1
        return source.wrappedValue + arm
      }
      return Computed { _ in
        runs.count += 1
        return first.wrappedValue + 1
      }
    }
  }

  func read() -> Int {
    var last = 0
    for leaf in leaves { last = leaf.wrappedValue }
    return last
  }
}

/// A consumer that reads another branch after every write.
struct UnstableLife: Life {
  static let turns = 100
  static let lastValue = -2_000
  // The branch that is not read does not run.
  static let runs = 2 * 101

  let source = Stored(0)
  private let consumer: Computed<Int>

  init(counting runs: Tally) {
    let double = Computed { [source] _ in
      runs.count += 1
      return source.wrappedValue * 2
    }
    let inverse = Computed { [source] _ in
      runs.count += 1
      return -source.wrappedValue
    }
    consumer = Computed { [source] _ in
      runs.count += 1
      var sum = 0
      for _ in 0..<20 {
        let isEven = source.wrappedValue.isMultiple(of: 2)
        sum += isEven ? inverse.wrappedValue : double.wrappedValue
      }
      return sum
    }
  }

  func read() -> Int { consumer.wrappedValue }
}
