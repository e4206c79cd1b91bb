// Files of flights for the tests, as short as the case needs.

import FlightBoard
import Foundation

/// Text in the format of a file of flights.
enum CSV {
  static let header = FlightColumn.allCases.map(\.rawValue).joined(separator: ",")

  /// A row; what a test does not name is a flight from EWR that left and arrived on time.
  static func row(
    date: String = "2013,1,1", sched: String = "800", dep: String = "800", depDelay: String = "0",
    arr: String = "1000", arrDelay: String = "0", carrier: String = "UA", number: String = "1",
    origin: String = "EWR", dest: String = "IAH", schedArr: String = "1000", airTime: String = "90",
    distance: String = "1400"
  ) -> String {
    [
      date, sched, dep, depDelay, schedArr, arr, arrDelay, carrier, number, "N1", origin, dest,
      airTime, distance,
    ].joined(separator: ",")
  }

  static func cancelled(carrier: String = "UA", origin: String = "EWR") -> String {
    row(dep: "NA", depDelay: "NA", arr: "NA", arrDelay: "NA", carrier: carrier, origin: origin)
  }

  static func text(_ rows: [String]) -> String {
    ([header] + rows).joined(separator: "\n") + "\n"
  }

  static func flights(_ rows: [String]) throws -> [Flight] {
    try FlightFile.parse(Array(text(rows).utf8))
  }

  /// Writes text to a file, hands its path to a test, and deletes it.
  static func withFile<Result>(
    _ text: String, _ body: (String) async throws -> Result
  ) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).csv")
    try Data(text.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(url.path)
  }
}
