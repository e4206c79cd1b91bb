import StateGraph

extension World {
  /// Does several things in a transaction, which may fail.
  func transact(_ steps: [TransactionStep], isAsync: Bool, attempts: Int) async {
    // What is made in the body would be made again in each attempt.
    let increments: [Int]
    do {
      if isAsync {
        increments = try await withGraphTransaction(maximumAttempts: attempts) {
          try await self.attempt(steps)
        }
      } else {
        increments = try await withGraphTransaction { try self.perform(steps) }
      }
    } catch is WorldFailure {
      return
    } catch GraphTransactionError.conflict {
      require(isAsync, "transactions", "a synchronous transaction has met a conflict")
      return
    } catch {
      report("transactions", "a transaction has failed: \(error)")
    }
    for place in increments { counters[place].increments.add() }
  }

  /// Does several things, with suspensions in between.
  ///
  /// - Returns: The counters that it has increased.
  @GraphActor
  private func attempt(_ steps: [TransactionStep]) async throws -> [Int] {
    var increments: [Int] = []
    for step in steps {
      switch step {
      case .pause: await Task.yield()
      case .readBoard:
        let first = board.verifiedNumber()
        await Task.yield()
        let second = board.verifiedNumber()
        require(first == second, "transactions", "the board is \(first), then \(second)")
      case .visit(let place): await triplets[place].verifyElsewhere()
      case .children(let place, let number, let triplet):
        let node = writable(place)
        async let one: Void = node.set(number)
        async let two: Void = GraphActor.run { self.triplets[triplet].verify("child task") }
        _ = await (one, two)
      case .refresh(let place): outcome(place).refresh()
      case .beginStream(let reference): await beginStream(source(reference))
      case .outlive(let place, let number):
        let node = writable(place)
        let task = Task { await node.set(number) }
        tasks.with { $0.append(task) }
      case .nested(let inner, let fails):
        do {
          try await withGraphTransaction { () async throws in
            _ = try await self.attempt(inner)
            if fails { throw WorldFailure(number: 0) }
          }
        } catch is WorldFailure where fails {}
      case .savepoint(let inner, let fails):
        let before = assigned(in: inner)
        do {
          try await withGraphSavepoint { () async throws in
            _ = try await self.attempt(inner)
            if fails { throw WorldFailure(number: 0) }
          }
        } catch is WorldFailure where fails {
          verifyUndone(before)
        }
      // What an own comparison would come to depends on the value at the version that the attempt
      // reads as of, which others may have replaced.
      case .verify(let reference) where source(reference).reachesComparison: break
      case .state(let place) where outcome(place).reachesComparison: break
      default: increments += try perform([step])
      }
    }
    return increments
  }

  @GraphActor
  private func perform(_ steps: [TransactionStep]) throws -> [Int] {
    var increments: [Int] = []
    for step in steps {
      switch step {
      case .set(let place, let number): writable(place).assign(number)
      case .verify(let reference): source(reference).verify("transaction")
      case .state(let place): outcome(place).verify("transaction")
      case .look(let place): triplets[place].verify("transaction")
      case .writeTriplet(let place): triplets[place].step()
      case .increment(let place):
        let counter = counters[place].source
        counter.assign(counter.number + 1)
        increments.append(place)
      case .nested(let inner, let fails):
        do {
          try withGraphTransaction {
            _ = try perform(inner)
            if fails { throw WorldFailure(number: 0) }
          }
        } catch is WorldFailure where fails {}
      case .savepoint(let inner, let fails):
        let before = assigned(in: inner)
        do {
          try withGraphSavepoint {
            _ = try perform(inner)
            if fails { throw WorldFailure(number: 0) }
          }
        } catch is WorldFailure where fails {
          verifyUndone(before)
        }
      case .throwingUpdate(let place, let number):
        let node = writable(place)
        let before = node.number
        node.failToUpdate(to: number)
        require(
          node.number == before, "transactions",
          "an update that has thrown leaves \(node.number) in \(node.name), which was \(before)")
      case .incrementAtCommit(let place):
        let counter = counters[place].source
        try GraphTransaction.current?.atCommit { counter.assign(counter.number + 1) }
        increments.append(place)
      case .handlers(let target):
        let node = writable(target)
        GraphTransaction.current?.onCommit { node.assign(7) }
        GraphTransaction.current?.onRollback { node.assign(8) }
      case .track(let reference): trackInTransaction(source(reference))
      case .fail: throw WorldFailure(number: 1)
      case .pause, .outlive, .readBoard, .visit, .children, .beginStream, .refresh: break
      }
    }
    return increments
  }

  /// What the nodes hold that steps assign to, and that no handler does.
  @GraphActor
  private func assigned(in steps: [TransactionStep]) -> [(node: any Writable, number: Int)] {
    let handled = steps.reduce(into: Set<Int>()) { $1.collect(into: &$0, handled: true) }
    var places: Set<Int> = []
    for step in steps { step.collect(into: &places, handled: false) }
    return places.subtracting(handled).map { place in
      let node = writable(place)
      return (node, node.number)
    }
  }

  /// Verifies that nodes hold again what they held before a savepoint that has failed.
  @GraphActor
  private func verifyUndone(_ before: [(node: any Writable, number: Int)]) {
    for (node, number) in before {
      require(
        node.number == number, "transactions",
        "a savepoint that has failed leaves \(node.number) in \(node.name), which was \(number)")
    }
  }

  /// Takes part in nothing until a counter has been increased, or the world ends.
  func waitInTransaction(_ place: Int) {
    let counter = counters[place].source
    let closing = closing
    start {
      let began = counter.committedNumber ?? 0
      do {
        let (number, isClosing) = try await withGraphTransaction(maximumAttempts: 100_000) {
          try await graphWait { closing.wrappedValue || counter.number > began }
          return (counter.number, closing.wrappedValue)
        }
        require(
          isClosing || number > began, "waits", "\(counter.name) is \(number), waited for \(began)")
      } catch {
        report("waits", "a transaction that waits has failed: \(error)")
      }
    }
  }
}

extension TransactionStep {
  /// Collects the places of the nodes that the step assigns to, itself or by handlers that it sets.
  fileprivate func collect(into places: inout Set<Int>, handled: Bool) {
    switch self {
    case .set(let place, _), .children(let place, _, _):
      if !handled { places.insert(place) }
    case .handlers(let place):
      if handled { places.insert(place) }
    case .savepoint(let inner, _), .nested(let inner, _):
      for step in inner { step.collect(into: &places, handled: handled) }
    default: break
    }
  }
}
