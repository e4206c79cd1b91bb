extension WorldPlanner {
  /// Draws a transaction.
  mutating func transaction() -> WorldStep {
    let isAsync = chance(45)
    let steps = (0..<2 + below(6)).map { _ in transactionStep(depth: 0, isAsync: isAsync) }
    return .transaction(onceEach(steps), isAsync: isAsync, attempts: chance(20) ? 1 : 1_000)
  }

  private mutating func transactionStep(depth: Int, isAsync: Bool) -> TransactionStep {
    switch below(20) {
    case 0..<6: return .set(below(plan.stored.count), to: number())
    case 6..<10: return .verify(node())
    case 10..<12 where shapes.has("asyncInTransactions"):
      return .state(below(plan.outcomes.count))
    case 12: return .look(below(plan.tripletCount))
    case 13: return .writeTriplet(below(plan.tripletCount), to: number())
    case 14: return .increment(below(plan.counters.count))
    case 15 where depth < 2:
      let steps = (0..<1 + below(3)).map { _ in
        transactionStep(depth: depth + 1, isAsync: isAsync)
      }
      return .nested(steps.filter { if case .increment = $0 { false } else { true } },
        fails: chance(30))
    case 16: return .handlers(target: below(plan.stored.count))
    case 17 where !isAsync: return .track(node())
    case 18 where isAsync: return .outlive(below(plan.stored.count), to: number())
    case 19 where chance(30): return .fail
    default: return isAsync ? .pause : .verify(node())
    }
  }

  /// A commit adds at most one to each counter, so that streams of counters have no gaps.
  private func onceEach(_ steps: [TransactionStep]) -> [TransactionStep] {
    var seen: Set<Int> = []
    return steps.filter { step in
      guard case .increment(let place) = step else { return true }
      return seen.insert(place).inserted
    }
  }
}
