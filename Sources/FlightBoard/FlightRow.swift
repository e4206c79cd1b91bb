// Where the rules about a row are: which fields must be there, what they must look like, and how
// clock times become moments. Each complaint says what was expected.

/// A row of a file of flights, not yet understood.
package struct FlightRow {
  /// Where the columns stand.
  package let header: FlightHeader

  /// The reader, which stands on the row.
  package let fields: CSVReader

  /// Makes a row of the current fields of a reader.
  package init(header: FlightHeader, fields: CSVReader) {
    self.header = header
    self.fields = fields
  }

  /// The flight that the row describes.
  ///
  /// - Throws: An error with the line and what was expected, at the first fault.
  package func flight() throws(InputError) -> Flight {
    guard fields.count == header.count else {
      let count = fields.count == 1 ? "1 field" : "\(fields.count) fields"
      throw malformed("\(count); expected \(header.count), as in the header")
    }
    let today = try date()
    let scheduled = today + (try required(.scheduledDeparture, "a time hhmm from 0 to 2400", clock))
    let departureClock = try optional(.departure, "a time hhmm from 0 to 2400", clock)
    let departureDelay = try optional(.departureDelay, "whole minutes", integer)
    let arrivalClock = try optional(.arrival, "a time hhmm from 0 to 2400", clock)
    let arrivalDelay = try optional(.arrivalDelay, "whole minutes", integer)
    try check(.departureDelay, departureDelay, needs: .departure, departureClock)
    try check(.arrival, arrivalClock, needs: .departure, departureClock)
    try check(.arrivalDelay, arrivalDelay, needs: .arrival, arrivalClock)
    try checkUnusedColumns()

    // The file gives the day of the schedule only. A flight that left after midnight left on the
    // day that agrees with its delay; one that arrived "before" it left arrived after midnight.
    let departure = departureClock.map {
      (today + $0).onDayClosest(to: scheduled + (departureDelay ?? 0))
    }
    var arrival: Moment?
    if let departure, let arrivalClock {
      let sameDay = departure.startOfDay + arrivalClock % Moment.minutesPerDay
      arrival = sameDay < departure ? sameDay + Moment.minutesPerDay : sameDay
    }
    return Flight(
      carrier: try required(.carrier, "an airline code", code),
      number: try required(.number, "a whole number", integer),
      origin: try required(.origin, "an airport code", code),
      destination: try required(.destination, "an airport code", code),
      scheduledDeparture: scheduled, departure: departure, departureDelay: departureDelay,
      arrival: arrival, arrivalDelay: arrivalDelay)
  }
}

// MARK: - Rules

extension FlightRow {
  private func date() throws(InputError) -> Moment {
    let year = try required(.year, "a whole number", integer)
    let month = try required(.month, "a whole number", integer)
    let day = try required(.day, "a whole number", integer)
    guard let date = Moment(year: year, month: month, day: day) else {
      throw malformed("there is no day \(year)-\(month)-\(day); expected a date")
    }
    return date
  }

  /// Checks that a value is there only if the one that it follows from is there too.
  private func check(
    _ column: FlightColumn, _ value: Int?, needs other: FlightColumn, _ otherValue: Int?
  ) throws(InputError) {
    guard value != nil, otherValue == nil else { return }
    throw malformed(
      "\(column.rawValue) without \(other.rawValue); expected both, or NA for \(column.rawValue)")
  }

  /// Checks the columns that the board does not show, so that a damaged file is not half trusted.
  private func checkUnusedColumns() throws(InputError) {
    _ = try optional(.scheduledArrival, "a time hhmm from 0 to 2400", clock)
    _ = try optional(.airTime, "whole minutes", integer)
    _ = try optional(.distance, "whole miles", integer)
  }
}

// MARK: - Fields

extension FlightRow {
  private func required<Value>(
    _ column: FlightColumn, _ expected: String, _ read: (ArraySlice<UInt8>) -> Value?
  ) throws(InputError) -> Value {
    let field = fields[header[column]]
    guard let value = read(field) else {
      let text = InputError.quoted(String(decoding: field, as: UTF8.self))
      throw malformed("\(column.rawValue) is \(text); expected \(expected)")
    }
    return value
  }

  private func optional<Value>(
    _ column: FlightColumn, _ expected: String, _ read: (ArraySlice<UInt8>) -> Value?
  ) throws(InputError) -> Value? {
    guard !isMissing(fields[header[column]]) else { return nil }
    return try required(column, expected + ", or NA", read)
  }

  private func isMissing(_ field: ArraySlice<UInt8>) -> Bool {
    field.isEmpty || field.elementsEqual("NA".utf8)
  }

  /// A code: any text but none and NA.
  private func code(_ field: ArraySlice<UInt8>) -> String? {
    isMissing(field) ? nil : String(decoding: field, as: UTF8.self)
  }

  /// A whole number of at most nine digits, so that sums of them cannot overflow.
  private func integer(_ field: ArraySlice<UInt8>) -> Int? {
    let isNegative = field.first == UInt8(ascii: "-")
    let digits = isNegative ? field.dropFirst() : field
    guard (1...9).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return isNegative ? -value : value
  }

  /// The minutes since midnight that a clock time hhmm stands for.
  private func clock(_ field: ArraySlice<UInt8>) -> Int? {
    guard let time = integer(field), (0...2400).contains(time), time % 100 < 60 else { return nil }
    return time / 100 * 60 + time % 100
  }

  private func malformed(_ message: String) -> InputError {
    InputError(.malformedRow, message, line: fields.line)
  }
}
