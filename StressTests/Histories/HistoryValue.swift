/// A value of a register, which a history knows by a number.
///
/// Plain data and others are published in different ways, so the same workload runs with several.
protocol HistoryValue: Sendable, Equatable {
  /// Makes the value that a number stands for.
  init(number: Int)
  /// The number of the value; -1 if the value has been torn.
  var number: Int { get }
}

extension Int: HistoryValue {
  init(number: Int) { self = number }
  var number: Int { self }
}

extension String: HistoryValue {
  /// Too long to be stored inline.
  init(number: Int) { self = "number \(number) of a register" }
  var number: Int { split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? -1 }
}

extension [Int]: HistoryValue {
  init(number: Int) { self = [Int](repeating: number, count: 8) }
  var number: Int { count == 8 && allSatisfy { $0 == first } ? first ?? -1 : -1 }
}

/// An object that is a value, equal to nothing but itself.
final class HistoryObject: HistoryValue {
  /// The number, in memory of its own: one that has been freed and used again shows another value.
  private let text: String

  init(number: Int) {
    text = String(number: number)
  }

  var number: Int { text.number }

  static func == (left: HistoryObject, right: HistoryObject) -> Bool { left === right }
}
