import StateGraph

extension World {
  /// A group that corrects what it has read through a computed node sees the correction.
  func clamp(from number: Int) async {
    let written = Stored(0)
    let double = written.map { $0 * 2 }
    let seen = Locked(-1)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        let value = double.wrappedValue
        seen.with { $0 = value }
        if value > 20 { written.wrappedValue = 10 }
      }
    }
    await written.set(number)
    await GraphActor.settle()
    let last = seen.with { $0 }
    let expected = 2 * min(number, 10)
    require(last == expected, "deliveries", "a group has last seen \(last), not \(expected)")
    tracking.cancel()
    withExtendedLifetime(double) {}
  }

  /// A node that a guard forbids to read is not brought up to date, whoever checks what depends on
  /// both.
  func readGuarded() async {
    let size = Stored(1)
    let last = Computed { _ in
      let count = size.wrappedValue
      require(count > 0, "order of checks", "the last of no elements has been asked for")
      return count
    }
    // A guard that is computed has to be checked, too.
    let hasLast = size.map { $0 > 0 }
    let asyncLast = AsyncComputed { await hasLast.value ? await last.value : 0 }
    let syncLast = Computed { _ in hasLast.wrappedValue ? last.wrappedValue : 0 }
    for number in [1, 2, 0, 3, 0] {
      await size.set(number)
      let seen = try? await asyncLast.value
      let now = await syncLast.value
      require(seen == number && now == number, "recomputation", "\(now) of \(number)")
    }
  }
}
