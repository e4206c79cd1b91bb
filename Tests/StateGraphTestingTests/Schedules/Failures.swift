import StateGraphTesting
import Testing

/// The failure that a body throws, if it throws one.
func scheduleFailure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> ScheduleFailure? {
  do {
    try await body()
    return nil
  } catch let failure as ScheduleFailure {
    return failure
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
    return nil
  }
}
