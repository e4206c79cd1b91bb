import StateGraph

extension World {
  /// Begins to track.
  func track(_ recipe: TrackingRecipe) async {
    await GraphActor.run {
      var records: [ReactionRecord] = []
      let own = Locked(Forgotten(cancellable: nil))
      let cancellable = withGraphTracking {
        for member in recipe.members { records.append(begin(member, own)) }
      }
      own.with { $0.cancellable = cancellable }
      enlist(TrackingEntry(cancellable, records))
    }
  }

  /// Keeps a tracking; the oldest ends when there are many, since reactions multiply writes.
  @GraphActor
  private func enlist(_ entry: TrackingEntry) {
    let oldest = trackings.with { entries -> TrackingEntry? in
      entries.append(entry)
      return entries.count > 4 ? entries.removeFirst() : nil
    }
    oldest?.cancellable.cancel()
  }

  /// Begins to track in a transaction, whose staged values are seen first.
  @GraphActor
  func trackInTransaction(_ source: any Source) {
    let record = ReactionRecord([source])
    let cancellable = withGraphTracking { withGraphTrackingGroup { _ = record.look() } }
    enlist(TrackingEntry(cancellable, [record]))
  }

  @GraphActor
  @discardableResult
  private func begin(
    _ member: TrackingRecipe.Member, _ own: Locked<Forgotten>, in outer: ReactionRecord? = nil
  ) -> ReactionRecord {
    let record = ReactionRecord(member.sources.map(source), in: own)
    outer?.add(record)
    let delivery: GraphDelivery = member.isImmediate ? .immediate : .coalesced
    let target = member.target.map(writable)
    if member.isMap {
      if member.isElsewhere {
        withGraphTrackingMap(delivery: delivery) {
          record.look()
        } onChange: { @Elsewhere [tasks] number in
          guard let target else { return }
          let task = Task.detached { await target.set(number % 40) }
          tasks.with { $0.append(task) }
        }
      } else {
        withGraphTrackingMap(delivery: delivery) {
          record.look()
        } onChange: { @GraphActor number in
          target?.assign(number % 40)
        }
      }
      return record
    }
    withGraphTrackingGroup(delivery: delivery) { [weak self] in
      let sum = record.look()
      if let target {
        if member.usesTransaction {
          withGraphTransaction { target.assign(sum % 40) }
        } else {
          target.assign(sum % 40)
        }
      }
      guard let self else { return }
      addCleanup(of: member)
      for inner in member.nested { begin(inner, own, in: record) }
      if member.endsItself, sum % 4 == 1 { cancelOwn(own) }
    }
    return record
  }

  @GraphActor
  private func addCleanup(of member: TrackingRecipe.Member) {
    guard member.cleanupTarget != nil || member.cleanupEnds != nil else { return }
    let target = member.cleanupTarget.map(writable)
    withGraphTrackingCleanup { [weak self] in
      target?.assign((target?.number ?? 0) % 40 + 1)
      if let place = member.cleanupEnds { self?.take(place)?.cancellable.cancel() }
    }
  }

  /// Ends the tracking from inside, once it is known.
  @GraphActor
  private func cancelOwn(_ own: Locked<Forgotten>) {
    guard let cancellable = own.with({ $0.cancellable }) else { return }
    cancellable.cancel()
  }

  /// Takes a tracking out, to be ended.
  func take(_ place: Int) -> TrackingEntry? {
    trackings.with { entries in
      entries.isEmpty ? nil : entries.remove(at: place % entries.count)
    }
  }

  /// Ends a tracking.
  func end(_ place: Int, _ ending: WorldStep.Ending) async {
    switch ending {
    case .cancelOnActor:
      guard let entry = take(place) else { return }
      await GraphActor.run { entry.cancellable.cancel() }
    case .releaseOnActor:
      await GraphActor.run { _ = take(place) }
    case .cancelTwice:
      guard let entry = take(place) else { return }
      async let one: Void = entry.cancellable.cancel()
      async let two: Void = GraphActor.run { entry.cancellable.cancel() }
      _ = await (one, two)
    case .cancel, .release: endHere(place, ending)
    }
  }

  func endHere(_ place: Int, _ ending: WorldStep.Ending) {
    guard let entry = take(place) else { return }
    if ending != .release { entry.cancellable.cancel() }
  }
}
