extension WorldPlanner {
  /// Draws a transaction.
  mutating func transaction() -> WorldStep {
    let isAsync = chance(45)
    // A task that is not waited for may assign while a savepoint is open, which does not undo that.
    let hasSavepoints = chance(50)
    let steps = (0..<2 + below(6)).map { _ in
      transactionStep(depth: 0, isAsync: isAsync, hasSavepoints: hasSavepoints)
    }
    return .transaction(onceEach(steps), isAsync: isAsync, attempts: chance(20) ? 1 : 1_000)
  }

  /// Draws a transaction that has a task of its own, or outlives one.
  mutating func specialTransaction() -> WorldStep {
    switch below(4) {
    case 0: .waitInTransaction(below(plan.counters.count))
    case 1: .awaitInTransaction(below(plan.outcomes.count), target: below(plan.stored.count))
    case 2: .outliveTransaction(fails: chance(50))
    default: .cancelTransaction(below(plan.stored.count), to: number())
    }
  }

  private mutating func transactionStep(
    depth: Int, isAsync: Bool, hasSavepoints: Bool
  ) -> TransactionStep {
    switch below(20) {
    case 0..<6: return .set(below(plan.stored.count), to: number())
    case 6..<10: return .verify(node())
    case 10..<12 where shapes.has(.asyncInTransactions):
      return .state(below(plan.outcomes.count))
    case 12: return .look(below(plan.tripletCount))
    case 13: return .writeTriplet(below(plan.tripletCount))
    case 14: return .increment(below(plan.counters.count))
    case 15 where depth < 2:
      // What is undone must not be counted.
      let steps = (0..<1 + below(3)).map { _ in
        transactionStep(depth: depth + 1, isAsync: isAsync, hasSavepoints: hasSavepoints)
      }.filter { step in
        switch step {
        case .increment, .incrementAtCommit: false
        default: true
        }
      }
      return hasSavepoints && chance(60)
        ? .savepoint(steps, fails: chance(60)) : .nested(steps, fails: chance(30))
    case 16: return .handlers(target: below(plan.stored.count))
    case 17 where !isAsync: return .track(node())
    case 18 where isAsync && !hasSavepoints: return .outlive(below(plan.stored.count), to: number())
    case 19 where chance(30): return .fail
    case 19 where chance(50):
      return chance(50)
        ? .throwingUpdate(below(plan.stored.count), to: number())
        : .incrementAtCommit(below(plan.counters.count))
    default: return isAsync ? asyncTransactionStep() : .verify(node())
    }
  }

  private mutating func asyncTransactionStep() -> TransactionStep {
    switch below(7) {
    case 6: .refresh(below(plan.outcomes.count))
    case 0: .visit(below(plan.tripletCount))
    case 1:
      .children(below(plan.stored.count), to: number(), triplet: below(plan.tripletCount))
    case 2: .beginStream(node())
    case 3: .readBoard
    default: .pause
    }
  }

  /// A commit adds at most one to each counter, so that streams of counters have no gaps.
  private func onceEach(_ steps: [TransactionStep]) -> [TransactionStep] {
    var seen: Set<Int> = []
    return steps.filter { step in
      switch step {
      case .increment(let place), .incrementAtCommit(let place): seen.insert(place).inserted
      default: true
      }
    }
  }
}
