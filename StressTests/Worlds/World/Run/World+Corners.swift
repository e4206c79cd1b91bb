import StateGraph

extension WorldShapes.Shape {
  /// The shapes of a fixed form, with nodes of their own.
  static let corners: [WorldShapes.Shape] = [
    .nestedWrites, .handlerWrites, .drafts, .stagedReads, .cascades, .boundHandlers,
    .waitingDrafts, .contention,
  ]
}

extension World {
  /// Does something of a fixed form with nodes of its own.
  func visit(_ corner: WorldShapes.Shape) async {
    switch corner {
    case .nestedWrites: await writeNested()
    case .handlerWrites: await writeInHandler()
    case .drafts: await makeDrafts()
    case .stagedReads: await readStaged()
    case .cascades: await cascade()
    case .boundHandlers: await bindHandlers()
    case .waitingDrafts: await waitWithDraft()
    case .contention: await contend()
    default: preconditionFailure("\(corner) has no fixed form")
    }
  }

  /// A group that makes a small model, writes it and reads it runs once for a change.
  private func makeDrafts() async {
    let written = Stored(1)
    let runs = Tally()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        require(runs.add() < 10, "runs", "a group that makes a model runs again and again")
        let amount = Stored(written.wrappedValue)
        let total = amount.map { $0 * 10 }
        _ = total.wrappedValue
        amount.wrappedValue += 1
        require(total.wrappedValue == amount.wrappedValue * 10, "recomputation", "of a draft")
      }
    }
    await written.set(2)
    await GraphActor.settle()
    require(runs.value == 2, "runs", "a group that makes a model has run \(runs.value) times")
    tracking.cancel()
  }

  /// Many groups write what one reads.
  private func cascade() async {
    let factor = Stored(1)
    let numbers = (1...150).map { Stored($0) }
    let products = numbers.map { _ in Stored(0) }
    let seen = Locked(0)
    let tracking = await withGraphTracking {
      for (number, product) in zip(numbers, products) {
        withGraphTrackingGroup {
          product.wrappedValue = number.wrappedValue * factor.wrappedValue
        }
      }
      withGraphTrackingGroup(delivery: .immediate) {
        let sum = products.reduce(0) { $0 + $1.wrappedValue }
        seen.with { $0 = sum }
      }
    }
    await factor.set(2)
    await GraphActor.settle()
    let sum = seen.with { $0 }
    require(sum == 22650, "deliveries", "a cascade comes to \(sum)")
    tracking.cancel()
  }

  /// A long transaction beside one that always commits before it: after its first conflicts the other
  /// waits for it.
  private func contend() async {
    let contended = Stored(0)
    let isOver = Tally()
    async let other: Void = {
      while isOver.value == 0 {
        try? await withGraphTransaction(maximumAttempts: 100_000) {
          let number = contended.wrappedValue
          await Task.yield()
          contended.wrappedValue = number + 1
        }
      }
    }()
    do {
      try await withGraphTransaction {
        let number = contended.wrappedValue
        for _ in 0..<30 { await Task.yield() }
        contended.wrappedValue = number + 1
      }
    } catch {
      report("conflicts", "a long transaction beside a short one has failed: \(error)")
    }
    isOver.add()
    await other
  }

  /// Two nodes whose handlers make them equal.
  private func bindHandlers() async {
    let one = Stored(0)
    let two = Stored(0)
    await GraphActor.run {
      one.onDidSet { [weak two] _, new in two?.wrappedValue = new }
      two.onDidSet { [weak one] _, new in one?.wrappedValue = new }
    }
    await one.set(20)
    let seen = await GraphSnapshot.values(of: one, two)
    require(seen == (20, 20), "handlers", "bound nodes are \(seen)")
    await two.set(10)
    let later = await GraphSnapshot.values(of: one, two)
    require(later == (10, 10), "handlers", "bound nodes are \(later)")
  }
}
