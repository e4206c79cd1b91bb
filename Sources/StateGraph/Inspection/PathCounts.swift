public import Synchronization

/// Counts that a path has been taken; does nothing in release builds.
@inlinable
@inline(__always)
func passes(_ path: PropagationPath) {
  #if DEBUG
    PathCounts.table[path.rawValue].add(1, ordering: .relaxed)
  #endif
}

/// How often each path has been taken in this process.
@usableFromInline
package enum PathCounts {
  /// One counter for each path.
  // SAFETY: Atomics, allocated once and never freed.
  @usableFromInline nonisolated(unsafe) static let table: UnsafeMutablePointer<Atomic<Int>> = {
    let table = UnsafeMutablePointer<Atomic<Int>>.allocate(
      capacity: PropagationPath.allCases.count)
    for index in PropagationPath.allCases.indices { (table + index).initialize(to: Atomic(0)) }
    return table
  }()

  /// Whether this is a build that counts.
  package static var areKept: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// How often a path has been taken; 0 in release builds.
  package static func count(of path: PropagationPath) -> Int {
    table[path.rawValue].load(ordering: .relaxed)
  }
}
