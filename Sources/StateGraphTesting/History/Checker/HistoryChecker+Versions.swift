// What is known of the order of versions from what was recorded and from what was replaced.

extension HistoryChecker {
  /// Notes that one version is later than another, and with it who comes after whom.
  func addStep(_ kind: EdgeKind = .step, from version: Int, to later: Int) {
    order.noteSuccessor(later, of: version)
    let writer = index.versions[later].writer
    if writer >= 0 { edges.add(kind, from: edges.vertex(after: version), to: writer) }
  }

  /// Orders the versions of each key by the versions of the graph that were recorded with them.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of versions.
  func orderByRecordedVersions() {
    for (number, key) in index.keys.enumerated() {
      if order.isTotal(number) {
        reportOverlap(order.versions(of: number), of: number)
        continue
      }
      let known = key.versions.filter {
        !index.versions[$0].isIntermediate && order.graphVersions(of: $0) != nil
      }
      let sorted = known.sorted { firstVersion(of: $0) < firstVersion(of: $1) }
      let chain = index.versions[key.initial].isAmbiguous ? sorted : [key.initial] + sorted
      guard !reportOverlap(chain, of: number) else { continue }
      for (before, version) in zip(chain, chain.dropFirst()) { addStep(from: before, to: version) }
      let finals = key.versions.count { !index.versions[$0].isIntermediate }
      if known.count == finals, chain.first == key.initial { order.setOrder(chain, of: number) }
    }
  }

  private func firstVersion(of version: Int) -> UInt64 {
    order.graphVersions(of: version)?.lowerBound ?? .max
  }

  /// Reports two versions that were current at the same version of the graph, or in turns.
  ///
  /// The chain has the initial version, then others in the order of a list, or by the first
  /// versions of the graph.
  @discardableResult
  private func reportOverlap(_ chain: [Int], of key: Int) -> Bool {
    var latest: (version: Int, time: UInt64)?
    for version in chain {
      guard let times = order.graphVersions(of: version) else { continue }
      if let latest, latest.time >= times.lowerBound {
        let writers = [latest.version, version].map { index.versions[$0].writer }
        report(
          .incompatibleOrder, writers.filter { $0 >= 0 }, about: key,
          "\(text(of: latest.version)) is there at version \(latest.time), and "
            + "\(text(of: version)), which is later, at version \(times.lowerBound)")
        return true
      }
      latest = (version, times.upperBound)
    }
    return false
  }

  /// Orders the versions of registers by what has been replaced, where nothing better is known.
  ///
  /// - Complexity: O(versions and operations).
  func orderRegisters() {
    for (number, key) in index.keys.enumerated() where !key.isList && !order.isTotal(number) {
      if index.versions[key.initial].isAmbiguous { continue }
      for version in key.versions { addStep(from: key.initial, to: version) }
      if key.versions.count <= 1 { order.setOrder([key.initial] + key.versions, of: number) }
    }
    for (read, written) in updates where !order.isTotal(index.versions[read].key) {
      addStep(from: read, to: written)
    }
  }
}
