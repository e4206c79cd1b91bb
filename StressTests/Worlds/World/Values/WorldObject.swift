import StateGraph
import StateGraphTesting

/// The objects of all worlds that are alive.
enum Census {
  static let alive = LiveCount()
}

/// A value on the heap whose end is counted.
final class WorldObject: Sendable {
  let number: Int
  /// Shows whether the memory has been used for something else.
  private let text: String
  private let token = Census.alive.token()
  /// Released with the object, wherever that happens.
  private let last: (any Sendable)?

  init(_ number: Int, last: (any Sendable)? = nil) {
    self.number = number
    text = "the object \(number)"
    self.last = last
  }

  /// Whether the object has not been freed.
  var isWhole: Bool { text.hasSuffix(" \(number)") }
}

/// Acts on the actor of the graph at its end.
@GraphActor final class LastWrite {
  private let write: @GraphActor @Sendable () -> Void
  private let token = Census.alive.token()

  nonisolated init(_ write: @escaping @GraphActor @Sendable () -> Void) {
    self.write = write
  }

  isolated deinit {
    write()
  }
}

/// Acts at its end, on whatever thread that comes.
final class LastAct: Sendable {
  private let act: @Sendable () -> Void
  private let token = Census.alive.token()

  init(_ act: @escaping @Sendable () -> Void) {
    self.act = act
  }

  deinit {
    act()
  }
}
