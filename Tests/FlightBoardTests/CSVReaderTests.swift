import FlightBoard
import Testing

@Suite struct CSVReaderTests {
  /// The rows of a text, each with the line on which it begins.
  private func rows(of text: String) throws -> [(line: Int, fields: [String])] {
    var reader = CSVReader(Array(text.utf8))
    var rows: [(line: Int, fields: [String])] = []
    while try reader.readRow() {
      rows.append((reader.line, (0..<reader.count).map { reader.text($0) }))
    }
    return rows
  }

  @Test(arguments: ["a,b\nc,d\n", "a,b\nc,d", "a,b\r\nc,d\r\n", "\u{FEFF}a,b\nc,d\n"])
  func `line ends and a byte order mark are not part of fields`(text: String) throws {
    #expect(try rows(of: text).map(\.fields) == [["a", "b"], ["c", "d"]])
  }

  @Test func `empty fields are fields`() throws {
    #expect(try rows(of: ",a,,\n,").map(\.fields) == [["", "a", "", ""], ["", ""]])
  }

  @Test func `empty lines are skipped but counted`() throws {
    let rows = try rows(of: "\n\na\n\r\nb\n\n")
    #expect(rows.map(\.fields) == [["a"], ["b"]])
    #expect(rows.map(\.line) == [3, 5])
  }

  @Test func `a quoted field may hold commas, quotes and line ends`() throws {
    let rows = try rows(of: "\"a,\"\"b\"\"\",\"c\nd\"\r\n\"\",e")
    #expect(rows.map(\.fields) == [["a,\"b\"", "c\nd"], ["", "e"]])
    #expect(rows.map(\.line) == [1, 3])
  }

  @Test func `nothing has no rows`() throws {
    #expect(try rows(of: "").isEmpty)
    #expect(try rows(of: "\n\r\n").isEmpty)
  }

  @Test(arguments: ["a\n\"b", "a\n\"b\"c\n", "a\n\"b\"\""])
  func `a quote out of place is reported with its line`(text: String) {
    let error = #expect(throws: InputError.self) { try rows(of: text) }
    #expect(error?.code == .malformedRow)
    #expect(error?.line == 2)
  }
}
