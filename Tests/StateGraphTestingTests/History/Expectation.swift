import StateGraphTesting
import Testing

/// Expects anomalies by name, and the drawing of the last one.
///
/// - Parameters:
///   - history: The history.
///   - names: The names, in order.
///   - drawing: What the last one prints below its name.
///   - sourceLocation: Where the expectation is.
func expect(
  _ history: History, _ names: String..., drawing: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let anomalies = history.anomalies()
  #expect(anomalies.map(\.kind.description) == names, sourceLocation: sourceLocation)
  let text = anomalies.last?.description.split(separator: "\n").dropFirst().joined(separator: "\n")
  #expect(text == drawing, sourceLocation: sourceLocation)
}
