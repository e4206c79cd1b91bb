/// The one place where the library starts a task of its own.
enum GraphTasks {
  /// Runs a body on the actor, soon.
  static func start(_ body: @escaping @GraphActor @Sendable () -> Void) {
    Task { await body() }
  }
}
