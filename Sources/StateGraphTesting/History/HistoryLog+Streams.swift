public import StateGraph

extension HistoryLog {
  /// Begins to record a stream; to be called before its first element is asked for.
  ///
  /// ```swift
  /// let stream = log.stream(of: "count")
  /// for await change in count.changes(buffering: .unbounded) {
  ///   stream.deliver(change.value, version: change.version)
  /// }
  /// stream.end(.released)
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key whose changes are followed.
  ///   - buffering: What the stream keeps for its consumer.
  /// - Returns: Where the elements are written down; belongs to the owner of the log.
  /// - Complexity: O(1) amortised: one atomic addition.
  public func stream(
    of key: String, buffering: GraphBuffering = .unbounded
  ) -> HistoryStreamLog {
    let stream = HistoryStreamLog(key: key, buffering: buffering, recorder: recorder)
    streamLogs.append(stream)
    return stream
  }

  /// The streams as they are.
  func streams() -> [History.Stream] {
    streamLogs.map(\.stream)
  }
}
