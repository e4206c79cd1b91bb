import Foundation

/// Verifies that the memory of the process stays flat from world to world.
package struct MemoryGauge {
  /// How many worlds it takes until the allocator has what it needs.
  private static let warmUp = 100

  private let limit: Int
  private var worlds = 0
  private var least = Int.max

  /// Makes a gauge.
  ///
  /// - Parameter limit: By how many bytes memory may exceed the least that it has been since the
  ///   process is warm; nothing is verified if nil, for a sanitizer keeps what has been freed.
  package init(limit: Int?) {
    self.limit = limit ?? .max
  }

  /// Looks at the memory after a world.
  package mutating func look() {
    worlds += 1
    guard limit != .max, worlds >= Self.warmUp, let bytes = Self.residentBytes else { return }
    least = min(least, bytes)
    require(
      bytes - least < limit, "memory",
      "\(bytes >> 20) MB after \(worlds) worlds, which was \(least >> 20) MB once")
  }

  /// The resident memory of the process; nil if the system does not say.
  package static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? Int(fields[1]).map { $0 * Int(getpagesize()) } : nil
  }
}
