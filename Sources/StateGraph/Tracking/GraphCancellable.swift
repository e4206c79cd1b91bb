/// Ends what it was returned for: when it is cancelled, or released.
///
/// ```swift
/// let tracking = await withGraphTracking {
///   withGraphTrackingGroup { print(counter.count) }
/// }
/// tracking.cancel()
/// ```
///
/// **Lifetime:** Keep it as long as the tracking is to go on.
public final class GraphCancellable: Sendable {
  package let scope: TrackingScope
  private let onCancel: Releasable<@Sendable () -> Void>?

  init(scope: TrackingScope) {
    self.scope = scope
    onCancel = nil
  }

  /// Makes a cancellable of something else, to be kept with others.
  ///
  /// - Parameter onCancel: Is called once, on the thread that cancels or releases.
  public init(_ onCancel: @escaping @Sendable () -> Void) {
    scope = TrackingScope()
    self.onCancel = Releasable(onCancel)
  }

  deinit {
    cancel()
  }

  /// Ends the tracking.
  ///
  /// From any thread, also from inside a handler that it ends. A run that is under way goes on to
  /// its end, no later one begins, and nothing nested in it begins either. When the call returns,
  /// the closures have been released, with what they capture; one that is running is released when
  /// it returns. Further calls do nothing.
  ///
  /// - Complexity: O(groups and maps).
  public func cancel() {
    guard scope.cancel(), let onCancel else { return }
    _ = onCancel.use { $0() }
    onCancel.release()
  }

  /// Whether it has been cancelled.
  public var isCancelled: Bool { scope.isCancelled }

  /// Adds it to a collection, which keeps it.
  public func store(in collection: inout some RangeReplaceableCollection<GraphCancellable>) {
    collection.append(self)
  }

  /// Adds it to a set, which keeps it.
  public func store(in set: inout Set<GraphCancellable>) {
    set.insert(self)
  }

  /// Makes another one keep it, and cancel it with itself.
  ///
  /// If that has been cancelled before, this is cancelled at once. Keep many by one, and not each by
  /// the one before: a chain is cancelled by recursion.
  public func store(in parent: GraphCancellable) {
    let membership = parent.scope.add { self.cancel() }
    // Nothing of it is kept when it ends before the other.
    scope.add { membership.leave() }
  }
}

extension GraphCancellable: Hashable {
  /// Whether two are the same object.
  public static func == (left: GraphCancellable, right: GraphCancellable) -> Bool {
    left === right
  }

  /// Feeds the identity of the object to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
