// The order of a list's appends: the longest list that was read has it.

extension HistoryChecker {
  /// Orders the appends of each list, and checks that all that was read of it fits.
  ///
  /// - Complexity: O(versions, and lengths of lists that were read).
  func orderLists() {
    var longest: [ListRead?] = Array(repeating: nil, count: index.keys.count)
    for read in listReads where read.list.count > longest[read.key]?.list.count ?? -1 {
      longest[read.key] = read
    }
    for (number, key) in index.keys.enumerated() where key.isList {
      orderAppends(of: number, as: longest[number])
    }
    for read in listReads {
      guard let longest = longest[read.key] else { continue }
      checkPrefix(read, of: longest)
    }
  }

  private func orderAppends(of key: Int, as longest: ListRead?) {
    var isOrdered: Set<Int> = []
    var previous = index.keys[key].initial
    var finals = [previous]
    for element in longest?.list ?? [] {
      guard let longest, let version = admitElement(element, of: longest) else { continue }
      guard isOrdered.insert(version).inserted else {
        report(
          .incompatibleOrder, [longest.reader], about: key,
          "\(name(of: longest.reader)) read \(element) twice in \(index.keys[key].name)")
        continue
      }
      addStep(from: previous, to: version)
      previous = version
      if !index.versions[version].isIntermediate { finals.append(version) }
    }
    // What nobody has read comes after the longest list, or would be in it.
    let rest = index.keys[key].versions.filter { !isOrdered.contains($0) }
    for version in rest { addStep(from: previous, to: version) }
    let restFinals = rest.filter { !index.versions[$0].isIntermediate }
    if restFinals.count <= 1 { order.setOrder(finals + restFinals, of: key) }
  }

  /// The version of an element of the longest list, if it has taken effect; reports it if not.
  private func admitElement(_ element: Int, of read: ListRead) -> Int? {
    let isTransaction = read.reader < history.transactions.count
    guard let version = index.version(of: read.key, element) else {
      report(
        isTransaction ? .unknownValue : .brokenStream, [read.reader], about: read.key,
        "\(name(of: read.reader)) \(self.read(read.reader)) \(element) in "
          + "\(index.keys[read.key].name), which nobody appended")
      return nil
    }
    guard !index.versions[version].isAmbiguous else { return nil }
    let writer = index.versions[version].writer
    if !index.isEffective[writer], writer != read.reader {
      reportPair(
        isTransaction ? .g1a : .brokenStream, version, read.reader,
        "\(wrote(version)) and aborted")
    }
    return index.isEffective[writer] ? version : nil
  }

  private func checkPrefix(_ read: ListRead, of longest: ListRead) {
    statistics.visits += read.list.count
    guard longest.list.starts(with: read.list) else {
      report(
        .incompatibleOrder, [read.reader, longest.reader], about: read.key,
        "\(name(of: read.reader)) \(self.read(read.reader)) \(index.keys[read.key].name) = "
          + "\(shortened(read.list)), which is not how \(shortened(longest.list)) begins, as "
          + "\(name(of: longest.reader)) \(self.read(longest.reader)) it")
      return
    }
    guard let version = lastVersion(of: read) else { return }
    observations.append(Observation(reader: read.reader, version: version))
    setVersion(version, of: read.reader)
    if let graphVersion = read.version ?? versionOfReads(read.reader) {
      order.note(version, at: graphVersion)
    }
  }

  /// The version that a list stands for: that of its last element from others.
  private func lastVersion(of read: ListRead) -> Int? {
    guard read.externalCount > 0 else { return index.keys[read.key].initial }
    let element = read.list[read.externalCount - 1]
    guard let version = index.version(of: read.key, element) else { return nil }
    let writer = index.versions[version].writer
    // Who read from an aborted writer has been reported with the longest list.
    guard writer == read.reader || index.isEffective[writer] else { return nil }
    return admit(version, reader: read.reader) ? version : nil
  }
}
