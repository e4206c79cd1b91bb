/// Waits until a condition over nodes holds.
///
/// The condition is evaluated now and at every commit that may have changed it, before anything
/// else can be committed. So a state that lasts for one commit only is not missed, and the call
/// returns with the commit that made the condition true. By the time the caller goes on, others may
/// have changed it again.
///
/// ```swift
/// try await graphWait { counter.count > 5 }
/// ```
///
/// Inside a transaction the condition is about what the transaction sees, which does not change by
/// waiting. If it does not hold, the call throws, the attempt is discarded, and the body runs again
/// when something that it has read has changed; it does not count as a conflict. So the wait and
/// what follows it are one atomic step: "take an element from the queue as soon as there is one".
/// This is `retry` of T. Harris et al., "Composable Memory Transactions", 2005. In an async rule
/// the same holds: a rule that waits depends on what the condition reads.
///
/// - Parameters:
///   - fileID: The file of the call, for messages.
///   - line: The line of the call, for messages.
///   - condition: Reads nodes; it must not write. It is kept, with what it captures, until the call
///     returns.
/// - Throws: `CancellationError` when the task is cancelled; what the condition throws; inside a
///   transaction, an error that the body should let through.
/// - Complexity: O(1) for each commit that concerns nothing that the condition has read.
///
/// **Cancellation:** At once.
public func graphWait(
  fileID: StaticString = #fileID, line: UInt = #line,
  until condition: @escaping @GraphActor @Sendable () throws -> Bool
) async throws {
  let origin = NodeOrigin(name: nil, fileID: fileID, line: line)
  try await ConditionWatcher.wait(origin) { try condition() ? () : nil }
}

extension GraphNode {
  /// Waits until the node has a value that satisfies a condition.
  ///
  /// The same as `graphWait(until:)` with a condition on the value: no commit is missed.
  ///
  /// - Parameters:
  ///   - fileID: The file of the call, for messages.
  ///   - line: The line of the call, for messages.
  ///   - condition: Judges a value; it must not write.
  /// - Returns: The first value that satisfies the condition, the current one included.
  /// - Throws: `CancellationError` when the task is cancelled; what the condition throws; inside a
  ///   transaction, an error that the body should let through.
  ///
  /// **Cancellation:** At once.
  public func first(
    fileID: StaticString = #fileID, line: UInt = #line,
    where condition: @escaping @GraphActor @Sendable (Value) throws -> Bool
  ) async throws -> Value {
    let origin = NodeOrigin(name: nil, fileID: fileID, line: line)
    return try await ConditionWatcher.wait(origin) {
      let value = self.wrappedValue
      return try condition(value) ? value : nil
    }
  }
}
