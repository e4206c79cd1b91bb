/// Why one vertex of the dependency graph comes before another.
enum EdgeKind: UInt8 {
  /// From a writer to the relay after the version that it wrote.
  case ww
  /// From a writer to an operation that saw what it wrote.
  case wr
  /// From an operation to the relay after the version that it saw.
  case rw
  /// From the relay after a version to the writer of a later one.
  case step
  /// From an element of a stream to the next one.
  case stream
  /// As `step`, where the order follows from that of a stream.
  case streamStep
  /// From a transaction to the next one of its process.
  case process
  /// From an operation, through relays, to one that began after it had ended.
  case realTime
  /// As `step`, where the order follows from real time; perhaps through further relays.
  case realTimeStep

  /// The first level of the search for cycles that uses such edges.
  var level: Int {
    switch self {
    case .ww, .step: 0
    case .wr: 1
    case .rw: 2
    case .stream, .streamStep: 3
    case .process: 4
    case .realTime, .realTimeStep: 5
    }
  }

  /// The number of levels.
  static let levelCount = 6
}

/// The edges of a dependency graph while they are collected.
struct EdgeList {
  /// How many vertices are operations; they come first.
  let operationCount: Int
  private(set) var vertexCount: Int
  private(set) var sources: [Int] = []
  private(set) var targets: [Int] = []
  private(set) var kinds: [EdgeKind] = []

  /// Makes a list with a vertex for each operation, and a relay after each version.
  init(operationCount: Int, versionCount: Int) {
    self.operationCount = operationCount
    vertexCount = operationCount + versionCount
  }

  /// The relay between who wrote or saw a version and who wrote a later one.
  func vertex(after version: Int) -> Int {
    operationCount + version
  }

  /// Adds relays and returns the first of them; the others follow it.
  mutating func makeVertices(_ count: Int) -> Int {
    defer { vertexCount += count }
    return vertexCount
  }

  mutating func add(_ kind: EdgeKind, from source: Int, to target: Int) {
    sources.append(source)
    targets.append(target)
    kinds.append(kind)
  }
}
