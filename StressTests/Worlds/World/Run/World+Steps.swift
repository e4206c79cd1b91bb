import StateGraph

extension World {
  /// Does a step that needs no actor.
  func performHere(_ step: WorldStep) {
    switch step {
    case .committed(let reference): readCommitted(source(reference))
    case .look(let place, _): triplets[place].lookAtCommitted()
    case .readBurst(let triplet, let counter): readBurst(triplets[triplet], counters[counter])
    case .end(let place, let ending): endHere(place, ending)
    case .unfollow(let place): unfollow(place)
    case .renew(let reference): renew(reference)
    case .renewOutcome(let place): renewOutcome(place)
    case .storeAndCancel: storeAndCancel(GraphCancellable {})
    default: preconditionFailure("\(step) needs a task")
    }
  }

  /// Does a step.
  func perform(_ step: WorldStep) async {
    switch step {
    case .set, .setEqual, .update, .touch, .setWithEnd, .increment, .writeTriplet, .environment,
      .observe, .ignore:
      await write(step)
    case .verify, .value, .look, .verifyAll, .outcome, .state, .refresh, .stateNode:
      await read(step)
    case .transaction(let steps, let isAsync, let attempts):
      await transact(steps, isAsync: isAsync, attempts: attempts)
    case .waitInTransaction(let place): waitInTransaction(place)
    case .awaitInTransaction(let place, let target): awaitInTransaction(place, target: target)
    case .outliveTransaction(let fails): await outliveTransaction(fails: fails)
    case .cancelTransaction(let place, let number): await cancelTransaction(place, to: number)
    case .snapshotBurst(let triplet, let counter):
      await snapshotBurst(triplets[triplet], counters[counter])
    case .writeBurst(let triplet, let counter, let besideReaders):
      let (triplet, counter) = (triplets[triplet], counters[counter])
      if besideReaders {
        await race(triplet, counter)
      } else {
        await writeBurst(triplet, counter)
      }
    case .privateStream(let stream): await followPrivately(stream)
    case .clamp(let number): await clamp(from: number)
    case .corner(let corner): await visit(corner)
    case .guardedRead: await readGuarded()
    case .steadyStep(let steadiness): await stayTheSame(steadiness)
    case .track(let recipe): await track(recipe)
    case .end(let place, let ending): await end(place, ending)
    case .mapWithoutObject(let reference, let place, let number, let cancels):
      await mapWithoutObject(reference, place, to: number, cancels: cancels)
    case .storeAndCancel: await storeTrackingAndCancel()
    case .follow(let following): follow(following)
    case .dropModel(let outcome, let stored, let order):
      await dropModel(outcome, stored, order: order)
    case .settle: await GraphActor.settle()
    case .committed, .unfollow, .renew, .renewOutcome, .readBurst: performHere(step)
    }
  }

  private func readCommitted(_ source: any Source) {
    guard let first = source.committedNumber else { return }
    guard source.grows, let second = source.committedNumber else { return }
    require(second >= first, "real time", "\(source.name): \(second) after \(first)")
  }

  private func write(_ step: WorldStep) async {
    switch step {
    case .set(let place, let number): await writable(place).set(number)
    case .setEqual(let place):
      let node = writable(place)
      await GraphActor.run { node.assign(node.number) }
    case .update(let place, let amount): _ = await writable(place).update { ($0 + amount) % 40 }
    case .touch(let place):
      let node = writable(place)
      await GraphActor.run { node.touch() }
    case .setWithEnd(let place, let number, let target, let isIsolated):
      let node = writable(place)
      let higher = writable(target)
      await GraphActor.run {
        if isIsolated {
          node.assign(number, last: LastWrite { higher.assign(number + 1) })
        } else {
          let kept = Stored(number)
          node.assign(number, last: LastAct { _ = kept.committedValue })
        }
      }
    case .increment(let place, let way): await counters[place].increment(way)
    case .writeTriplet(let place, let way):
      let triplet = triplets[place]
      if way == .asyncTransaction {
        try? await withGraphTransaction {
          triplet.step()
          await Task.yield()
          triplet.step()
        }
      } else {
        await withGraphTransaction { triplet.step() }
      }
    case .environment(let number):
      await GraphActor.run { GraphActor.environment[Weather.self] = number }
    case .observe(let place, let target):
      let node = writable(place)
      let higher = writable(target)
      await GraphActor.run { node.observe { higher.assign(($0 + 1) % 40) } }
    case .ignore(let place):
      let node = writable(place)
      await GraphActor.run { node.observe(nil) }
    default: preconditionFailure("\(step) is not a write")
    }
  }

  private func read(_ step: WorldStep) async {
    switch step {
    case .verify(let reference, let expectedFirst):
      let node = source(reference)
      await GraphActor.run { node.verify("step", expectedFirst: expectedFirst) }
    case .value(let reference):
      let node = source(reference)
      let first = await node.currentNumber()
      if node.grows {
        let second = await node.currentNumber()
        require(second >= first, "real time", "\(node.name): \(second) after \(first)")
      }
    case .look(let place, let reader): await triplets[place].look(reader)
    case .verifyAll: await verifyAll("step")
    case .outcome(let place):
      let node = outcome(place)
      // It may wait for something that only the end of the world brings.
      start { _ = await node.outcome() }
    case .state(let place):
      let node = outcome(place)
      await GraphActor.run { node.verify("step") }
    case .refresh(let place):
      let node = outcome(place)
      await GraphActor.run { node.refresh() }
    case .stateNode(let place):
      let node = stateSource(place)
      for _ in 0..<5 { _ = await node.node.value }
      await GraphActor.run { node.verify("step") }
    default: preconditionFailure("\(step) is not a read")
    }
  }

  /// Verifies all nodes that exist, in one step.
  func verifyAll(_ place: String) async {
    let (sources, outcomes, states) = residents
    await GraphActor.run {
      // A group that has cancelled itself in its run keeps its record, without marks, until it is
      // removed; with small portions that may be later.
      if Graph.shared.areRemovalsComplete, !Graph.shared.hasReleased {
        let broken = Graph.shared.brokenInvariants()
        require(broken.isEmpty, "invariants", "\(broken) (\(place))")
      }
      for source in sources { source.verify(place) }
      for outcome in outcomes { outcome.verify(place) }
      for state in states { state.verify(place) }
      for triplet in triplets { triplet.verify(place) }
    }
  }
}
