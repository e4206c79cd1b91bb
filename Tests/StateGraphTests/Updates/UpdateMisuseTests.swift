import StateGraph
import Testing

/// Bodies of updates that must not do what they do; at every size.
///
/// One after the other: each case is a process.
@Suite(.serialized) struct UpdateMisuseTests {
  /// What the body of an update does, to the node or to others.
  enum Misuse: String, CaseIterable, Codable, Sendable {
    case reads, writes, updates, readsCached, readsUncached, readsDownstream
    case writesOther, opensTransaction, beginsToTrack
  }

  static let sizes = [0, 1, 255, 256, 100_000]

  private static func list(_ size: Int) -> [Int] { Array(0..<size) }

  @GraphActor
  private static func commit(
    _ misuse: Misuse, on node: some WritableNode<[Int]>, _ other: Stored<Int>,
    _ count: Computed<Int>, _ double: Computed<Int>
  ) {
    switch misuse {
    case .reads: _ = node.wrappedValue
    case .writes: node.wrappedValue = []
    case .updates: node.update { $0.append(1) }
    case .readsCached, .readsUncached: _ = count.wrappedValue
    case .readsDownstream: _ = double.wrappedValue
    case .writesOther: other.wrappedValue += 1
    case .opensTransaction: withGraphTransaction {}
    case .beginsToTrack: _ = withGraphTracking { withGraphTrackingGroup {} }
    }
  }

  @GraphActor
  private static func run(_ misuse: Misuse, on node: some WritableNode<[Int]>) {
    let other = Stored(0, name: "other")
    let count = Computed { _ in node.wrappedValue.count }
    let double = Computed { _ in count.wrappedValue * 2 }
    if misuse != .readsUncached { _ = double.wrappedValue }
    node.update { _ in commit(misuse, on: node, other, count, double) }
  }

  /// Each misuse at two sizes, and each size with two misuses.
  private static let misuses =
    Misuse.allCases.flatMap { misuse in [1, 256].map { (misuse, $0) } }
    + [Misuse.reads, .writes].flatMap { misuse in [0, 255, 100_000].map { (misuse, $0) } }

  @Test(arguments: misuses)
  func `misuse of a change in place is named`(misuse: Misuse, size: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse = misuse as Misuse, size = size as Int] in
      await GraphActor.run {
        Self.run(misuse, on: StoredInPlace(Self.list(size), name: "list"))
      }
    }
    Self.expectName(in: result)
  }

  @Test(arguments: Misuse.allCases)
  func `misuse of a change in place is named in a transaction`(misuse: Misuse) async {
    // A nested transaction joins where it may be opened.
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse = misuse as Misuse] in
      await withGraphTransaction {
        Self.run(misuse, on: StoredInPlace(Self.list(300), name: "list"))
      }
    }
    Self.expectName(in: result)
  }

  @Test(arguments: [Misuse.writes, .updates], sizes)
  func `an update that writes its own node is named`(misuse: Misuse, size: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse = misuse as Misuse, size = size as Int] in
      await GraphActor.run { Self.run(misuse, on: Stored(Self.list(size), name: "list")) }
    }
    Self.expectName(in: result)
  }

  @Test(
    arguments: [Misuse.reads, .writes, .updates, .readsCached, .readsUncached, .readsDownstream],
    [1, 256])
  func `an update that reads or writes its own staged value is named`(
    misuse: Misuse, size: Int
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse = misuse as Misuse, size = size as Int] in
      await withGraphTransaction { Self.run(misuse, on: Stored(Self.list(size), name: "list")) }
    }
    Self.expectName(in: result)
  }

  @Test(arguments: [Misuse.reads, .writes, .readsUncached, .writesOther])
  func `misuse of an access that changes in place is named`(misuse: Misuse) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse = misuse as Misuse] in
      await GraphActor.run {
        let node = StoredInPlace([1, 2, 3], name: "list")
        let other = Stored(0, name: "other")
        let count = Computed { _ in node.wrappedValue.count }
        let double = Computed { _ in count.wrappedValue * 2 }
        node.wrappedValue.removeAll { _ in
          Self.commit(misuse, on: node, other, count, double)
          return true
        }
      }
    }
    Self.expectName(in: result)
  }

  @Test(arguments: [Misuse.reads, .writes, .updates, .readsUncached, .writesOther])
  func `misuse of a modification that tells nobody is named`(misuse: Misuse) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse = misuse as Misuse] in
      await GraphActor.run {
        let node = StoredInPlace([1, 2, 3], name: "list")
        let other = Stored(0, name: "other")
        let count = Computed { _ in node.wrappedValue.count }
        let double = Computed { _ in count.wrappedValue * 2 }
        node.unsafeModify { _ in Self.commit(misuse, on: node, other, count, double) }
      }
    }
    Self.expectName(in: result)
  }

  private static func expectName(in result: ExitTest.Result?) {
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("StateGraph: ") && message.contains("list"), "\(message)")
  }
}
