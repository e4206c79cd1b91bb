/// What is known of the order of the versions of each key.
struct VersionOrder {
  /// The first version of the graph at which a version is known to have been current.
  private var first: [UInt64]
  /// The last one.
  private var last: [UInt64]
  /// The place among the versions of the key, if all places are known; -1 otherwise.
  private var ranks: [Int]
  /// The versions of a key in order, if that is known; those that nobody can see are left out.
  private var ordered: [[Int]]
  /// A version that is known to be later; -1 if none is.
  private var successors: [Int]

  init(versionCount: Int, keyCount: Int) {
    first = Array(repeating: .max, count: versionCount)
    last = Array(repeating: 0, count: versionCount)
    ranks = Array(repeating: -1, count: versionCount)
    successors = ranks
    ordered = Array(repeating: [], count: keyCount)
  }

  /// Notes that a version was current at a version of the graph.
  mutating func note(_ version: Int, at graphVersion: UInt64) {
    first[version] = min(first[version], graphVersion)
    last[version] = max(last[version], graphVersion)
  }

  /// The versions of the graph at which a version is known to have been current.
  func graphVersions(of version: Int) -> ClosedRange<UInt64>? {
    first[version] <= last[version] ? first[version]...last[version] : nil
  }

  /// Notes that one version is later than another.
  mutating func noteSuccessor(_ later: Int, of version: Int) {
    if successors[version] < 0 { successors[version] = later }
  }

  /// A version that is later than another.
  func someSuccessor(of version: Int) -> Int? {
    successors[version] < 0 ? nil : successors[version]
  }

  /// Fixes the order of all versions of a key.
  mutating func setOrder(_ versions: [Int], of key: Int) {
    ordered[key] = versions
    for (rank, version) in versions.enumerated() { ranks[version] = rank }
  }

  /// The place of a version among those of its key, if all places are known.
  func rank(of version: Int) -> Int? {
    ranks[version] < 0 ? nil : ranks[version]
  }

  /// The versions of a key in order; empty if that is not known.
  func versions(of key: Int) -> [Int] {
    ordered[key]
  }

  /// Whether the order of all versions of a key is known.
  func isTotal(_ key: Int) -> Bool {
    !ordered[key].isEmpty
  }
}
