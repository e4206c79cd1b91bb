import StateGraph

/// A log of events, in order.
@GraphActor final class Recorder {
  private(set) var events: [String] = []

  nonisolated init() {}

  func record(_ event: String) { events.append(event) }

  func take() -> [String] {
    defer { events = [] }
    return events
  }
}
