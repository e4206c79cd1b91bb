import StateGraph

/// What one task writes down about a stream that it consumes.
///
/// **Isolation:** Belongs to one task at a time, like the log that it comes from.
public final class HistoryStreamLog {
  private let recorder: HistoryRecorder
  /// What has been delivered so far.
  private(set) var stream: History.Stream

  init(key: String, buffering: GraphBuffering, recorder: HistoryRecorder) {
    self.recorder = recorder
    stream = History.Stream(
      of: key, buffering: buffering, begin: recorder.timeOfBegin(), [])
  }

  /// Records an element with the value of a register.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - version: The version that the stream gave with it.
  /// - Complexity: O(1) amortised: one atomic addition.
  public func deliver(_ value: Int, version: UInt64? = nil) {
    deliver(.register(value), version)
  }

  /// Records an element with the elements of a list.
  ///
  /// - Parameters:
  ///   - list: The elements; the log shares their memory.
  ///   - version: The version that the stream gave with it.
  /// - Complexity: O(1) amortised: one atomic addition.
  public func deliver(_ list: [Int], version: UInt64? = nil) {
    deliver(.list(list), version)
  }

  /// Records how the stream ended; without it, the consumer has left.
  ///
  /// A stream that drops the newest changes when it is full may lack the last one: it says `.left`.
  ///
  /// - Parameter end: What is claimed about the last element.
  public func end(_ end: History.Stream.End) {
    stream.end = end
  }

  private func deliver(_ value: History.Value, _ version: UInt64?) {
    stream.elements.append(
      History.Stream.Element(value, version: version, time: recorder.timeOfDelivery()))
  }
}

// SAFETY: As for `HistoryLog`.
extension HistoryStreamLog: @unchecked Sendable {}
