// What is printed: the board's lines, the final tables, and the JSON object.

import Foundation

/// The texts that the program prints.
enum Report {
  /// The lines of the board while it runs.
  static func lines(of view: Board.View) -> [String] {
    let width = 40
    let done = Int(view.progress * Double(width))
    let bar = String(repeating: "█", count: done) + String(repeating: "░", count: width - done)
    return ["\(view.clock)  \(bar)  \(Int(view.progress * 100)) %", ""]
      + table("airport", view.airports, total: view.network).lines
  }

  /// The final tables and the line of figures.
  static func text(_ replay: Replay) -> String {
    let lines =
      table("airport", replay.airports, total: replay.network).lines + [""]
      + table("airline", replay.carriers, total: replay.network).lines + [""]
      + [figures(of: replay)]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The final totals as one JSON object.
  static func json(_ replay: Replay) -> String {
    JSON.object([
      ("airports", .array(replay.airports.map(json))),
      ("carriers", .array(replay.carriers.map(json))),
      ("network", .object(members(of: replay.network))),
      ("commits", .integer(replay.findings.commits)),
      ("violations", .integer(replay.findings.violations)),
    ]).text() + "\n"
  }
}

// MARK: - Text

extension Report {
  private static func table(_ title: String, _ entries: [Replay.Entry], total: Summary) -> Table {
    Table(
      heading: [
        title, "flights", "departed", "airborne", "landed", "cancelled", "mean dep. delay",
        "mean arr. delay",
      ],
      rows: entries.map { cells($0.code, $0.summary) } + [cells("all", total)])
  }

  private static func cells(_ name: String, _ summary: Summary) -> [String] {
    [
      name, "\(summary.flights)", "\(summary.departed)", "\(summary.airborne)",
      "\(summary.landed)", "\(summary.cancelled)", minutes(summary.departureDelays.mean),
      minutes(summary.arrivalDelays.mean),
    ]
  }

  private static func minutes(_ mean: Double?) -> String {
    mean.map { String(format: "%.1f min", $0) } ?? "–"
  }

  private static func figures(of replay: Replay) -> String {
    let findings = replay.findings
    let reads = findings.readLatencies
    return [
      "\(findings.commits) commits", "\(findings.streamElements) stream elements",
      "\(reads.count) outside reads", "\(findings.recounts) recounts",
      "\(findings.violations) violations",
      String(format: "%.3f s", replay.elapsed / .seconds(1)),
      "median departure delay \(replay.medianDelay.map { "\($0) min" } ?? "–")",
      "50th percentile of an outside read \(microseconds(reads.percentile(0.5)))",
      "99th \(microseconds(reads.percentile(0.99)))",
    ].joined(separator: ", ")
  }

  private static func microseconds(_ duration: Duration?) -> String {
    duration.map { String(format: "%.2f µs", $0 / .microseconds(1)) } ?? "–"
  }
}

// MARK: - JSON

extension Report {
  private static func json(_ entry: Replay.Entry) -> JSON {
    .object([("code", .string(entry.code))] + members(of: entry.summary))
  }

  private static func members(of summary: Summary) -> [(String, JSON)] {
    [
      ("flights", .integer(summary.flights)),
      ("departed", .integer(summary.departed)),
      ("landed", .integer(summary.landed)),
      ("airborne", .integer(summary.airborne)),
      ("cancelled", .integer(summary.cancelled)),
      ("meanDepartureDelay", summary.departureDelays.mean.map(JSON.number) ?? .null),
      ("meanArrivalDelay", summary.arrivalDelays.mean.map(JSON.number) ?? .null),
    ]
  }
}
