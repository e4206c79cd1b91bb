import FlightBoard
import Testing

@Suite struct FlightFileTests {
  @Test func `a row becomes a flight`() throws {
    let row = CSV.row(
      sched: "515", dep: "517", depDelay: "2", arr: "830", arrDelay: "-11", carrier: "B6",
      number: "1545", origin: "JFK", dest: "BQN")
    let flight = try #require(CSV.flights([row]).first)
    #expect(flight.carrier == "B6")
    #expect(flight.number == 1545)
    #expect(flight.origin == "JFK")
    #expect(flight.destination == "BQN")
    #expect(flight.scheduledDeparture.description == "2013-01-01 05:15")
    #expect(flight.departure?.description == "2013-01-01 05:17")
    #expect(flight.departureDelay == 2)
    #expect(flight.arrival?.description == "2013-01-01 08:30")
    #expect(flight.arrivalDelay == -11)
  }

  @Test(arguments: ["NA", ""])
  func `no value is none`(none: String) throws {
    let row = CSV.row(dep: none, depDelay: none, arr: none, arrDelay: none, airTime: none)
    let flight = try #require(CSV.flights([row]).first)
    #expect(flight.departure == nil)
    #expect(flight.departureDelay == nil)
    #expect(flight.arrival == nil)
    #expect(flight.arrivalDelay == nil)
  }

  @Test(arguments: [
    // Scheduled, left, delay, arrived; the moments expected.
    ("2355", "2358", "3", "140", "2013-01-01 23:58", "2013-01-02 01:40"),
    ("2355", "10", "15", "140", "2013-01-02 00:10", "2013-01-02 01:40"),
    ("2355", "2400", "5", "2400", "2013-01-02 00:00", "2013-01-02 00:00"),
    ("2200", "2210", "10", "2400", "2013-01-01 22:10", "2013-01-02 00:00"),
    ("10", "2355", "-15", "100", "2012-12-31 23:55", "2013-01-01 01:00"),
    ("900", "1000", "1500", "1200", "2013-01-02 10:00", "2013-01-02 12:00"),
    ("2355", "10", "NA", "140", "2013-01-02 00:10", "2013-01-02 01:40"),
    ("800", "800", "0", "800", "2013-01-01 08:00", "2013-01-01 08:00"),
  ])
  func `clock times find their days`(
    sched: String, dep: String, delay: String, arr: String, departure: String, arrival: String
  ) throws {
    let row = CSV.row(sched: sched, dep: dep, depDelay: delay, arr: arr)
    let flight = try #require(CSV.flights([row]).first)
    #expect(flight.departure?.description == departure)
    #expect(flight.arrival?.description == arrival)
  }

  @Test func `columns are found by name, in any order and among others`() throws {
    let text = "id," + FlightColumn.allCases.reversed().map(\.rawValue).joined(separator: ",")
    let row = "7," + CSV.row().split(separator: ",").reversed().joined(separator: ",")
    let flights = try FlightFile.parse(Array("\(text)\n\(row)\n".utf8))
    #expect(try flights == CSV.flights([CSV.row()]))
  }

  @Test func `the quotes and line ends of other programs are understood`() throws {
    let text = CSV.text([CSV.row()])
    let quoted = text.split(separator: "\n").map { line in
      line.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ",")
    }.joined(separator: "\r\n")
    #expect(try FlightFile.parse(Array(quoted.utf8)) == CSV.flights([CSV.row()]))
  }
}

// MARK: - Bad input

extension FlightFileTests {
  @Test(arguments: FlightColumn.allCases)
  func `a missing column is named`(column: FlightColumn) {
    let names = FlightColumn.allCases.filter { $0 != column }.map(\.rawValue)
    let text = names.joined(separator: ",") + "\n" + CSV.row() + "\n"
    let error = #expect(throws: InputError.self) { try FlightFile.parse(Array(text.utf8)) }
    #expect(error?.code == .columns)
    #expect(error?.line == 1)
    #expect(
      error?.message.hasPrefix("missing column \(column.rawValue); expected the columns ") == true)
  }

  @Test(arguments: [
    ("2013,1,1\n", "no header; expected the columns year,month,day,"),
    ("year,month,day,flight\n", "missing columns sched_dep_time, dep_time, dep_delay, "),
  ])
  func `several missing columns are one fault`(text: String, message: String) {
    let error = #expect(throws: InputError.self) { try FlightFile.parse(Array(text.utf8)) }
    #expect(error?.message.hasPrefix(message) == true)
  }

  @Test func `a column that is there twice is named`() {
    let text = CSV.header + ",origin\n" + CSV.row() + ",JFK\n"
    let error = #expect(throws: InputError.self) { try FlightFile.parse(Array(text.utf8)) }
    #expect(error?.code == .columns)
    #expect(error?.message == "column origin is there twice; expected it once")
  }

  @Test(arguments: ["", "\n\n", CSV.header, CSV.header + "\n\n"])
  func `a file without flights is empty`(text: String) {
    let error = #expect(throws: InputError.self) { try FlightFile.parse(Array(text.utf8)) }
    #expect(error?.code == .empty)
  }

  @Test(arguments: [
    (CSV.row() + ",x", "17 fields; expected 16, as in the header"),
    ("x", "1 field; expected 16, as in the header"),
    (CSV.row(date: "2013,2,30"), "there is no day 2013-2-30; expected a date"),
    (CSV.row(date: "year,2,30"), "year is \"year\"; expected a whole number"),
    (CSV.row(date: "NA,2,30"), "year is \"NA\"; expected a whole number"),
    (CSV.row(sched: ""), "sched_dep_time is \"\"; expected a time hhmm from 0 to 2400"),
    (CSV.row(sched: "NA"), "sched_dep_time is \"NA\"; expected a time hhmm from 0 to 2400"),
    (CSV.row(dep: "12:00"), "dep_time is \"12:00\"; expected a time hhmm from 0 to 2400, or NA"),
    (CSV.row(dep: "1260"), "dep_time is \"1260\"; expected a time hhmm from 0 to 2400, or NA"),
    (CSV.row(dep: "-5"), "dep_time is \"-5\"; expected a time hhmm from 0 to 2400, or NA"),
    (CSV.row(arr: "2401"), "arr_time is \"2401\"; expected a time hhmm from 0 to 2400, or NA"),
    (CSV.row(depDelay: "1.5"), "dep_delay is \"1.5\"; expected whole minutes, or NA"),
    (CSV.row(depDelay: "-"), "dep_delay is \"-\"; expected whole minutes, or NA"),
    (CSV.row(arrDelay: " 1"), "arr_delay is \" 1\"; expected whole minutes, or NA"),
    (
      CSV.row(arrDelay: "9999999999"),
      "arr_delay is \"9999999999\"; expected whole minutes, or NA"
    ),
    (CSV.row(carrier: ""), "carrier is \"\"; expected an airline code"),
    (CSV.row(origin: "NA"), "origin is \"NA\"; expected an airport code"),
    (CSV.row(dest: ""), "dest is \"\"; expected an airport code"),
    (CSV.row(number: "N5"), "flight is \"N5\"; expected a whole number"),
    (CSV.row(airTime: "long"), "air_time is \"long\"; expected whole minutes, or NA"),
    (CSV.row(distance: "far"), "distance is \"far\"; expected whole miles, or NA"),
    (
      CSV.row(schedArr: "9am"),
      "sched_arr_time is \"9am\"; expected a time hhmm from 0 to 2400, or NA"
    ),
    (
      CSV.row(dep: "NA", arr: "NA", arrDelay: "NA"),
      "dep_delay without dep_time; expected both, or NA for dep_delay"
    ),
    (
      CSV.row(dep: "NA", depDelay: "NA", arrDelay: "NA"),
      "arr_time without dep_time; expected both, or NA for arr_time"
    ),
    (CSV.row(arr: "NA"), "arr_delay without arr_time; expected both, or NA for arr_delay"),
  ])
  func `a malformed row is reported with its line and what was expected`(
    row: String, message: String
  ) {
    let error = #expect(throws: InputError.self) {
      try CSV.flights([CSV.row(), CSV.row(), row, CSV.row()])
    }
    #expect(error == InputError(.malformedRow, message, line: 4))
  }

  @Test func `a field is quoted in one short line whatever is in it`() throws {
    let field = "\"\u{7}\n" + String(repeating: "x", count: 100) + "\""
    let error = #expect(throws: InputError.self) { try CSV.flights([CSV.row(dep: field)]) }
    let message = try #require(error?.message)
    #expect(!message.contains("\n"))
    #expect(message.count < 140)
  }
}
