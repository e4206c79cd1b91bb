// Columns are found by their names, so that their order does not matter and more of them do no harm.

/// The columns that a file of flights must have, by the names they have in the header.
package enum FlightColumn: String, CaseIterable, Sendable {
  case year
  case month
  case day
  case scheduledDeparture = "sched_dep_time"
  case departure = "dep_time"
  case departureDelay = "dep_delay"
  case scheduledArrival = "sched_arr_time"
  case arrival = "arr_time"
  case arrivalDelay = "arr_delay"
  case carrier
  case number = "flight"
  case tail = "tailnum"
  case origin
  case destination = "dest"
  case airTime = "air_time"
  case distance
}

/// Where each column stands in a file.
package struct FlightHeader: Sendable {
  /// The number of fields in every row.
  package let count: Int

  /// The index of each column in a row.
  private let indices: [FlightColumn: Int]

  /// Reads the header from the current row of a reader.
  ///
  /// - Throws: An error that names the columns that are missing or there twice.
  package init(_ reader: CSVReader) throws(InputError) {
    count = reader.count
    let names = (0..<reader.count).map { reader.text($0) }
    let missing = FlightColumn.allCases.filter { !names.contains($0.rawValue) }
    guard missing.isEmpty else {
      let list = missing.map(\.rawValue).joined(separator: ", ")
      let fault =
        switch missing.count {
        case 1: "missing column \(list)"
        case FlightColumn.allCases.count: "no header"
        default: "missing columns \(list)"
        }
      let all = FlightColumn.allCases.map(\.rawValue).joined(separator: ",")
      throw InputError(.columns, "\(fault); expected the columns \(all)", line: reader.line)
    }
    for column in FlightColumn.allCases where names.count(where: { $0 == column.rawValue }) > 1 {
      throw InputError(
        .columns, "column \(column.rawValue) is there twice; expected it once", line: reader.line)
    }
    indices = names.enumerated().reduce(into: [:]) { indices, entry in
      guard let column = FlightColumn(rawValue: entry.element) else { return }
      indices[column] = entry.offset
    }
  }

  /// The index of a column in every row.
  package subscript(column: FlightColumn) -> Int {
    guard let index = indices[column] else {
      preconditionFailure("column \(column.rawValue) has no index: init checks that all are there")
    }
    return index
  }
}
