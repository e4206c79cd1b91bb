import StateGraph

/// A type of values that stand for numbers, so that oracles compare all kinds of values alike.
protocol NumberCoding: Sendable {
  /// The type of the values.
  associatedtype Value: Sendable

  /// The value that stands for a number.
  static func value(for number: Int) -> Value
  /// The number that a value stands for; nil if the value is not whole.
  static func number(of value: Value) -> Int?
  /// Changes a value in place, so that it stands for another number.
  static func change(_ value: inout Value, to number: Int)
  /// Whether its stored nodes have a comparison of their own.
  static var comparesItself: Bool { get }
  /// What a stored node holds after a commit of one number over another.
  static func outcome(of assigned: Int, over committed: Int) -> Int
  /// Makes a stored node.
  static func makeStored(_ number: Int, name: String) -> Stored<Value>
  /// Makes a computed node.
  static func makeComputed(
    name: String, _ rule: @escaping @GraphActor @Sendable (inout GraphContext) -> Int
  ) -> Computed<Value>
  /// Makes an async node.
  static func makeAsync(
    name: String, _ behaviour: AsyncBehaviour, _ rule: @escaping @Sendable () async throws -> Int
  ) -> AsyncComputed<Value>
}

extension NumberCoding {
  static func change(_ value: inout Value, to number: Int) {
    value = Self.value(for: number)
  }

  static var comparesItself: Bool { false }
  static func outcome(of assigned: Int, over committed: Int) -> Int { assigned }

  static func makeStored(_ number: Int, name: String) -> Stored<Value> {
    Stored(value(for: number), name: name)
  }

  static func makeComputed(
    name: String, _ rule: @escaping @GraphActor @Sendable (inout GraphContext) -> Int
  ) -> Computed<Value> {
    Computed(name: name) { context in value(for: rule(&context)) }
  }

  static func makeAsync(
    name: String, _ behaviour: AsyncBehaviour, _ rule: @escaping @Sendable () async throws -> Int
  ) -> AsyncComputed<Value> {
    AsyncComputed(
      name: name, staleAfter: behaviour.staleAfter, timeout: behaviour.timeout,
      retry: behaviour.retry
    ) {
      value(for: try await rule())
    }
  }
}

// The same words, but `==` is found by the compiler and not at run time.
extension NumberCoding where Value: Equatable {
  static func makeStored(_ number: Int, name: String) -> Stored<Value> {
    Stored(value(for: number), name: name)
  }

  static func makeComputed(
    name: String, _ rule: @escaping @GraphActor @Sendable (inout GraphContext) -> Int
  ) -> Computed<Value> {
    Computed(name: name) { context in value(for: rule(&context)) }
  }

  static func makeAsync(
    name: String, _ behaviour: AsyncBehaviour, _ rule: @escaping @Sendable () async throws -> Int
  ) -> AsyncComputed<Value> {
    AsyncComputed(
      name: name, staleAfter: behaviour.staleAfter, timeout: behaviour.timeout,
      retry: behaviour.retry
    ) {
      value(for: try await rule())
    }
  }
}
