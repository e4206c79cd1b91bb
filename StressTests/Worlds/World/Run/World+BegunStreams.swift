import StateGraph

/// A stream that has delivered its first element.
// SAFETY: Handed from the task that has begun it to the one that goes on.
final class BegunStream<Value: Sendable>: @unchecked Sendable {
  private var iterator: GraphChanges<Value>.Iterator

  init(_ changes: GraphChanges<Value>) {
    iterator = changes.makeAsyncIterator()
  }

  @concurrent func next() async -> GraphChange<Value>? {
    await iterator.next(isolation: nil)
  }
}

extension World {
  /// A follower whose stream has begun in the task of the caller.
  nonisolated func begunFollower<S: Source>(_ source: S) async -> Follower {
    let (first, next) = await source.begin()
    let node = Weak(source)
    let seen = Locked(Follower.Seen(last: first))
    return Follower(
      "\(source.name) changes, begun in a transaction", seen,
      isUpToDate: {
        guard let source = node.object else { return seen.with { $0.isOver } }
        let expected = await GraphActor.run { source.expected }
        return seen.with { $0.last.map { source.isSame($0, expected) } ?? false }
      }
    ) {
      while let number = await next() { seen.with { $0.last = number } }
    }
  }
}
