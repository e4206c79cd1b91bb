import StateGraph

/// What the cases of public suites say about stored and computed nodes, one test for each case.
///
/// The numbers in the comments are those of the cases. Where cases speak of an effect, a computed
/// node that an `Observer` follows stands in: it is brought up to date within each commit that
/// touches what it read, once, and its rule records the run.
enum Conformance {}

extension Conformance {
  /// What has happened, in order.
  @GraphActor final class Log {
    private var events: [String] = []

    nonisolated init() {}

    /// Adds an event.
    func record(_ event: String) {
      events.append(event)
    }

    /// The events since the last call.
    func take() -> [String] {
      defer { events = [] }
      return events
    }

    /// Makes a computed node that records its name whenever its rule begins to run.
    nonisolated func computed<Value: Equatable & Sendable>(
      _ name: String, _ rule: @escaping @GraphActor @Sendable () -> Value
    ) -> Computed<Value> {
      Computed(name: name) { _ in
        self.record(name)
        return rule()
      }
    }

    /// Makes a computed node that records its name and its value whenever its rule has run.
    nonisolated func computedValues<Value: Equatable & Sendable>(
      _ name: String, _ rule: @escaping @GraphActor @Sendable () -> Value
    ) -> Computed<Value> {
      Computed(name: name) { _ in
        let value = rule()
        self.record("\(name) \(value)")
        return value
      }
    }
  }

  /// Follows a node until `end()`, so that every commit brings it up to date.
  ///
  /// Keeps the node alive so long, which its stream does not: optimised code lets go of a variable
  /// after its last use.
  @GraphActor final class Observer<Value: Sendable> {
    private var iterator: GraphChanges<Value>.Iterator?
    private var node: (any GraphNode<Value>)?

    /// Begins: takes the current value, which is the first element of the stream.
    init(of node: some GraphNode<Value>) async {
      var iterator = node.changes(buffering: .unbounded).makeAsyncIterator()
      _ = await iterator.next(isolation: GraphActor.shared)
      self.iterator = iterator
      self.node = node
    }

    /// The next change; waits for one if there is none.
    func next() async -> Value? {
      var iterator = iterator
      let change = await iterator?.next(isolation: GraphActor.shared)
      self.iterator = iterator
      return change?.value
    }

    /// Stops following the node.
    func end() {
      iterator = nil
      node = nil
    }
  }

  /// Iterates over a sequence in a task on the actor, and keeps the elements.
  @GraphActor final class Consumer<Element: Sendable> {
    private var elements: [Element] = []
    private var task: Task<Void, Never>?
    /// Whether the loop is over.
    private(set) var hasEnded = false

    /// Begins to iterate; `body` is the body of the loop, after the element has been kept.
    init(
      _ sequence: some AsyncSequence<Element, Never> & Sendable,
      body: @escaping (Element) -> Void = { _ in }
    ) {
      task = Task {
        for await element in sequence {
          elements.append(element)
          body(element)
        }
        hasEnded = true
      }
    }

    /// The elements since the last call, after the task has taken all there are.
    ///
    /// The task never leaves the actor but to wait. So a job that is queued now runs when the task
    /// waits again.
    func take() async -> [Element] {
      await Task {}.value
      defer { elements = [] }
      return elements
    }

    /// Cancels the task and waits for its end.
    func cancel() async {
      task?.cancel()
      await task?.value
    }

    /// Waits until the sequence has ended; the elements since the last call.
    func rest() async -> [Element] {
      await task?.value
      defer { elements = [] }
      return elements
    }
  }

  /// A place for something that rules and tests share.
  @GraphActor final class Box<Value> {
    var value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  /// An object whose end can be seen through a weak reference.
  final class Witness: Sendable {}
}
