// The gates. Whoever moves a flight has to ask ground control, which takes its time: a transaction
// that awaits. The graph goes on meanwhile, and no flight is ever at two gates, or at none.

import StateGraph

/// The gates of an airport, each with the flight that is assigned to it.
struct Gates: Sendable {
  /// The number of gates of an airport.
  private static let count = 8

  /// The flight at each gate, by its index.
  private let occupants: [Stored<Int>]

  /// The flights that have a gate.
  private let assigned: [Int]

  /// Assigns the first flights of an airport to its gates.
  init(of airport: String, flights: [Int]) {
    assigned = Array(flights.prefix(Gates.count))
    occupants = assigned.enumerated().map { Stored($1, name: "\(airport).gate\($0)") }
  }

  /// Lets the flights at two gates change places, if ground control agrees.
  ///
  /// If another desk moves one of the flights meanwhile, this is made again.
  ///
  /// - Throws: `GraphTransactionError` if that happens too often.
  func swap(_ one: Int, _ other: Int, asking control: GroundControl) async throws {
    try await withGraphTransaction {
      let flights = (occupants[one].wrappedValue, occupants[other].wrappedValue)
      guard await control.approve(flights.0, flights.1) else { return }
      occupants[one].wrappedValue = flights.1
      occupants[other].wrappedValue = flights.0
    }
  }

  /// Moves flights about for a while, as one of several desks.
  ///
  /// - Returns: What went wrong.
  func work(desk: Int, asking control: GroundControl) async -> Findings {
    var findings = Findings()
    guard occupants.count > 1 else { return findings }
    for round in 0..<20 {
      let one = (desk + round) % occupants.count
      do {
        try await swap(
          one, (one + 1 + round % (occupants.count - 1)) % occupants.count, asking: control)
      } catch {
        findings.report(["desk \(desk): \(error)"])
      }
    }
    return findings
  }

  /// Whether each flight that has a gate is at exactly one.
  @GraphActor var isConsistent: Bool {
    occupants.map(\.wrappedValue).sorted() == assigned.sorted()
  }
}

/// A service elsewhere, which has to be asked.
actor GroundControl {
  /// Whether two flights may change places.
  func approve(_ one: Int, _ other: Int) async -> Bool {
    // The way there and back.
    for _ in 0..<10 { await Task.yield() }
    return one != other
  }
}
