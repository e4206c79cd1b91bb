import FlightBoard
import Testing

@Suite struct ArgumentsTests {
  @Test func `nothing means the sample as text`() throws {
    let arguments = try Arguments([])
    #expect(arguments.path == nil)
    #expect(arguments.format == .text)
    #expect(!arguments.isHelp)
  }

  @Test(arguments: [
    ["--format", "json", "a.csv"], ["a.csv", "--format", "json"], ["--format=json", "a.csv"],
    ["--format", "text", "--format", "json", "--", "a.csv"],
  ])
  func `options and the file come in any order`(words: [String]) throws {
    let arguments = try Arguments(words)
    #expect(arguments.path == "a.csv")
    #expect(arguments.format == .json)
  }

  @Test func `after two dashes everything is a file`() throws {
    #expect(try Arguments(["--", "--help"]).path == "--help")
  }

  @Test(arguments: [["--help"], ["-h"], ["--bogus", "-h"], ["a", "b", "--help"]])
  func `a wish for help wins`(words: [String]) throws {
    #expect(try Arguments(words).isHelp)
  }

  @Test(arguments: [
    (["--format"], "--format without a value; expected text or json"),
    (["--format", "xml"], "--format is \"xml\"; expected text or json"),
    (["--format="], "--format is \"\"; expected text or json"),
    (["--fast"], "unknown option \"--fast\"; expected --format or --help"),
    (["-"], "unknown option \"-\"; expected --format or --help"),
    (["a.csv", "b.csv"], "a second file \"b.csv\"; expected one file at most"),
  ])
  func `a word that makes no sense is reported`(words: [String], message: String) {
    let error = #expect(throws: InputError.self) { try Arguments(words) }
    #expect(error == InputError(.usage, message))
  }
}
