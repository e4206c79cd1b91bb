/// Runs an operation in a task that takes part in nothing, and waits for it.
///
/// - Parameter operation: What somebody else does meanwhile.
/// - Returns: What the operation returns.
@discardableResult
func outside<R: Sendable>(_ operation: @escaping @Sendable () async -> R) async -> R {
  await Task.detached { await operation() }.value
}
