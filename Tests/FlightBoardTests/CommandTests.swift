import FlightBoard
import Foundation
import Synchronization
import Testing

/// Runs of the whole program, in this process.
@Suite struct CommandTests {
  /// What `--format json` prints, as another parser reads it.
  ///
  /// A key too many is not an error here: `.ci/check-flightboard` looks for those.
  struct Totals: Decodable, Equatable {
    struct Entry: Decodable, Equatable {
      var code: String?
      var flights: Int
      var departed: Int
      var landed: Int
      var airborne: Int
      var cancelled: Int
      var meanDepartureDelay: Double?
      var meanArrivalDelay: Double?
    }
    var airports: [Entry]
    var carriers: [Entry]
    var network: Entry
    var commits: Int
    var violations: Int
  }

  private func totals(_ words: [String]) async throws -> Totals {
    let outcome = await Command.run(["--format", "json"] + words)
    #expect(outcome.code == 0)
    #expect(outcome.error == "")
    return try JSONDecoder().decode(Totals.self, from: Data(outcome.output.utf8))
  }
}

// MARK: - Totals

extension CommandTests {
  @Test func `the totals are those of the file`() async throws {
    let text = CSV.text([
      CSV.row(depDelay: "10", arrDelay: "5", carrier: "UA", origin: "EWR"),
      CSV.row(depDelay: "-4", arr: "1100", arrDelay: "NA", carrier: "B6", origin: "EWR"),
      CSV.row(depDelay: "1", arr: "NA", arrDelay: "NA", carrier: "B6", origin: "JFK"),
      CSV.cancelled(carrier: "AA", origin: "JFK"),
    ])
    let totals = try await CSV.withFile(text) { try await self.totals([$0]) }
    #expect(
      totals.airports == [
        .init(
          code: "EWR", flights: 2, departed: 2, landed: 2, airborne: 0, cancelled: 0,
          meanDepartureDelay: 3, meanArrivalDelay: 5),
        .init(
          code: "JFK", flights: 2, departed: 1, landed: 0, airborne: 1, cancelled: 1,
          meanDepartureDelay: 1, meanArrivalDelay: nil),
      ])
    #expect(totals.carriers.map(\.code) == ["AA", "B6", "UA"])
    #expect(totals.carriers.map(\.departed) == [0, 2, 1])
    #expect(totals.carriers.map(\.meanDepartureDelay) == [nil, -1.5, 10])
    #expect(
      totals.network
        == .init(
          code: nil, flights: 4, departed: 3, landed: 2, airborne: 1, cancelled: 1,
          meanDepartureDelay: 7.0 / 3, meanArrivalDelay: 5))
    #expect(totals.commits == 6)
    #expect(totals.violations == 0)
  }

  @Test func `the sample has 842 flights and every event is one commit`() async throws {
    let totals = try await totals([])
    #expect(totals.network.flights == 842)
    #expect(totals.network.departed == 838)
    #expect(totals.network.landed == 837)
    #expect(totals.network.airborne == 1)
    #expect(totals.network.cancelled == 4)
    #expect(totals.commits == 838 + 837 + 4)
    #expect(totals.violations == 0)
  }

  @Test func `the totals are the same whatever the interleaving`() async throws {
    let first = try await totals([])
    for _ in 0..<5 {
      #expect(try await totals([]) == first)
    }
  }

  @Test func `a null is spelled out`() async throws {
    let outcome = try await CSV.withFile(CSV.text([CSV.cancelled()])) {
      await Command.run(["--format=json", $0])
    }
    #expect(outcome.output.contains(#""meanDepartureDelay": null, "meanArrivalDelay": null"#))
  }
}

// MARK: - Text

extension CommandTests {
  @Test func `the tables are followed by a line of figures`() async throws {
    let outcome = await Command.run([])
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(outcome.code == 0)
    #expect(lines.contains { $0.hasPrefix("EWR ") })
    #expect(lines.contains { $0.hasPrefix("UA ") })
    let figures = try #require(lines.last)
    #expect(figures.hasPrefix("1679 commits, "))
    for word in [
      " stream elements", " outside reads", " recounts", "50th percentile", "99th", " 0 violations",
    ] {
      #expect(figures.contains(word))
    }
  }

  @Test func `each auditor recounts at least once, and 17 times and at the end at most`()
    async throws
  {
    let recounts = try #require(
      await Command.run([]).output.firstMatch(of: #/, (\d+) recounts, /#).flatMap { Int($0.1) })
    #expect((4...4 * 18).contains(recounts))
  }

  @Test func `a board is drawn and gone at the end`() async {
    let written = Mutex<[String]>([])
    let screen = Screen { text in written.withLock { $0.append(text) } }
    let start = ContinuousClock.now
    let outcome = await Command.run([], screen: screen)
    let elapsed = start.duration(to: .now)
    let texts = written.withLock { $0 }
    #expect(outcome.code == 0)
    // Ten times a second at most, and the erasure.
    #expect(texts.count <= Int(elapsed / .milliseconds(100)) + 2)
    #expect(texts.dropLast().allSatisfy { $0.contains(" %") })
    // Nothing but the way back: the board's last act is to erase itself.
    #expect(texts.last?.hasSuffix("\u{1B}[J") ?? true)
  }

  @Test func `no board is drawn with json`() async {
    let written = Mutex(0)
    let screen = Screen { _ in written.withLock { $0 += 1 } }
    _ = await Command.run(["--format", "json"], screen: screen)
    #expect(written.withLock { $0 } == 0)
  }

  @Test func `help is help`() async {
    #expect(await Command.run(["--help"]) == Command.Outcome(output: Arguments.help))
  }
}

// MARK: - Bad input

extension CommandTests {
  /// Checks that a run ends with exit code 2 and one line on standard error.
  private func expectBadInput(_ words: [String], _ message: String) async {
    for format in ["text", "json"] {
      let outcome = await Command.run(["--format", format] + words)
      #expect(outcome == Command.Outcome(code: 2, error: "FlightBoard: \(message)\n"))
    }
  }

  @Test func `a missing file is one line`() async {
    await expectBadInput(
      ["/no/such.csv"], "/no/such.csv: no such file; expected a CSV file of flights")
    await expectBadInput([""], "\"\": no such file; expected a CSV file of flights")
    await expectBadInput(["a\nb"], "\"a\\nb\": no such file; expected a CSV file of flights")
  }

  @Test func `a directory is one line`() async {
    await expectBadInput(["/tmp"], "/tmp: this is a directory; expected a CSV file of flights")
  }

  @Test func `a malformed last row leaves nothing half printed`() async throws {
    let text = CSV.text(Array(repeating: CSV.row(), count: 1000) + [CSV.row(dep: "noon")])
    try await CSV.withFile(text) {
      await expectBadInput(
        [$0],
        "\($0), line 1002: dep_time is \"noon\"; expected a time hhmm from 0 to 2400, or NA")
    }
  }

  @Test func `an empty file is one line`() async throws {
    try await CSV.withFile("") {
      await expectBadInput(
        [$0], "\($0): the file is empty; expected a header and at least one flight")
    }
  }

  @Test func `a second file is one line`() async {
    await expectBadInput(["a", "b"], "a second file \"b\"; expected one file at most")
  }
}
