import StateGraph

/// Plain data.
enum IntegerCoding: NumberCoding {
  static func value(for number: Int) -> Int { number }
  static func number(of value: Int) -> Int? { value }
}

/// Memory on the heap that several values share.
enum TextCoding: NumberCoding {
  static func value(for number: Int) -> String { "the text of the number \(number)" }
  static func number(of value: String) -> Int? {
    guard value.hasPrefix("the text of") else { return nil }
    return value.split(separator: " ").last.flatMap { Int($0) }
  }
}

/// A collection below the size from which `update` changes it in place.
enum SmallArrayCoding: NumberCoding {
  static func value(for number: Int) -> [Int] { Array(repeating: number, count: 3) }
  static func number(of value: [Int]) -> Int? { common(value, count: 3) }
  static func change(_ value: inout [Int], to number: Int) {
    for place in value.indices { value[place] = number }
  }
}

/// A collection that `update` changes in place.
enum LargeArrayCoding: NumberCoding {
  static func value(for number: Int) -> [Int] { Array(repeating: number, count: 300) }
  static func number(of value: [Int]) -> Int? { common(value, count: 300) }
  static func change(_ value: inout [Int], to number: Int) {
    for place in value.indices { value[place] = number }
  }
}

/// The number that all elements are.
private func common(_ value: [Int], count: Int) -> Int? {
  guard value.count == count, let first = value.first else { return nil }
  return value.allSatisfy { $0 == first } ? first : nil
}

/// A struct that can be compared.
enum PointCoding: NumberCoding {
  struct Point: Sendable, Equatable {
    let x: Int
    let y: Int
    let label: String
  }

  static func value(for number: Int) -> Point {
    Point(x: number, y: -number, label: "point")
  }
  static func number(of value: Point) -> Int? { value.x == -value.y ? value.x : nil }
}

/// A struct that cannot be compared: every write is a change.
enum OpaqueCoding: NumberCoding {
  struct Opaque: Sendable {
    let number: Int
    let text: String
  }

  static func value(for number: Int) -> Opaque {
    Opaque(number: number, text: "opaque \(number)")
  }
  static func number(of value: Opaque) -> Int? {
    value.text == "opaque \(value.number)" ? value.number : nil
  }
}

/// Nil stands for 0.
enum OptionalCoding: NumberCoding {
  static func value(for number: Int) -> Int? { number == 0 ? nil : number }
  static func number(of value: Int?) -> Int? { value ?? 0 }
}

/// A value that does not equal itself stands for 13.
enum DoubleCoding: NumberCoding {
  static func value(for number: Int) -> Double { number == 13 ? .nan : Double(number) }
  static func number(of value: Double) -> Int? { value.isNaN ? 13 : Int(value) }
}

/// A comparison that takes different numbers for the same: the node keeps the one before.
enum RoundedCoding: NumberCoding {
  static func value(for number: Int) -> Int { number }
  static func number(of value: Int) -> Int? { value }
  static var comparesItself: Bool { true }
  static func outcome(of assigned: Int, over committed: Int) -> Int {
    assigned / 2 == committed / 2 ? committed : assigned
  }
  static func makeStored(_ number: Int, name: String) -> Stored<Int> {
    Stored(number, name: name) { $0 / 2 == $1 / 2 }
  }
}

/// An object, whose end is counted, and which may act at its end.
enum ObjectCoding: NumberCoding {
  static func value(for number: Int) -> WorldObject { WorldObject(number) }
  static func number(of value: WorldObject) -> Int? { value.isWhole ? value.number : nil }
}
