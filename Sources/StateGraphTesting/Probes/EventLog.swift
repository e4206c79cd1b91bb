/// What has happened, in order, recorded from anywhere.
///
/// The order is that in which the records got hold of the log's lock: two records of which one
/// returned before the other began are in that order. In a seeded run, what is recorded also
/// appears in the report of a failure, at the step in which it was recorded.
public final class EventLog<Event: Sendable>: Sendable {
  private let monitor = Monitor<[Event]>([])

  /// Makes an empty log.
  public init() {}

  /// Adds an event.
  ///
  /// - Complexity: O(1) amortised, plus a check of each wait that is under way.
  public func record(_ event: Event) {
    Schedule.note("\(event)")
    monitor.withState { $0.append(event) }
  }

  /// All events, oldest first.
  public var events: [Event] { monitor.withState { $0 } }

  /// Takes all events out, oldest first.
  public func take() -> [Event] {
    monitor.withState { events in
      defer { events = [] }
      return events
    }
  }

  /// Waits until the events satisfy a condition.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the caller, which the call does not leave.
  ///   - condition: Checked after every record, under the log's lock.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  public func wait(
    isolation: isolated (any Actor)? = #isolation,
    until condition: @escaping @Sendable ([Event]) -> Bool
  ) async throws {
    try await monitor.wait(at: "an event log") { condition($0) }
  }
}

extension EventLog where Event: Equatable {
  /// Waits until an event has been recorded.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - isolation: The isolation of the caller, which the call does not leave.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  public func wait(
    for event: Event, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await monitor.wait(at: "an event log, for \(event)") { $0.contains(event) }
  }

  /// Whether both events have been recorded, the one for the first time before the other.
  public func happened(_ event: Event, before other: Event) -> Bool {
    let events = events
    guard let first = events.firstIndex(of: event), let second = events.firstIndex(of: other)
    else { return false }
    return first < second
  }
}
