/// The results of the benchmarks, as text.
struct Report {
  /// A benchmark and its result.
  struct Row {
    let benchmark: Benchmark
    let measurement: Measurement

    /// The median in the unit of the benchmark.
    var median: String { decimal(measurement.median / benchmark.unit.divisor) }

    /// The median absolute deviation in the unit of the benchmark.
    var spread: String { decimal(measurement.spread / benchmark.unit.divisor) }

    /// The ratio to the floor, if there is one.
    var ratio: String? { measurement.ratioToFloor.map { decimal($0) } }
  }

  private static let headings = ["benchmark", "median", "± MAD", "unit", "x floor"]
  private static let widths = [62, 8, 8, 28, 8]

  /// The lines before the first row.
  static func head(_ format: Arguments.Format) -> String? {
    switch format {
    case .text: aligned(headings)
    case .markdown: "| \(headings.joined(separator: " | ")) |\n|---|---:|---:|---|---:|"
    case .json: nil
    }
  }

  /// A line for a row.
  static func line(_ row: Row, _ format: Arguments.Format) -> String {
    let unit = "\(row.benchmark.unit)"
    let cells = [row.benchmark.fullName, row.median, row.spread, unit, row.ratio ?? ""]
    switch format {
    case .text: return aligned(cells)
    case .markdown: return "| \(cells.joined(separator: " | ")) |"
    case .json:
      // One object a line, so that a run that is ended early leaves valid lines.
      let ratio = row.ratio.map { ", \"ratioToFloor\": \($0)" } ?? ""
      return "{\"group\": \(quoted(row.benchmark.group)), \"name\": \(quoted(row.benchmark.name)), "
        + "\"unit\": \(quoted(unit)), \"median\": \(row.median), \"spread\": \(row.spread), "
        + "\"samples\": \(row.measurement.samples.count)\(ratio)}"
    }
  }

  private static func aligned(_ cells: [String]) -> String {
    var line = ""
    for (index, (cell, width)) in zip(cells, widths).enumerated() {
      let padding = String(repeating: " ", count: max(0, width - cell.count))
      let isNumber = [1, 2, 4].contains(index)
      line += (isNumber ? padding + cell : cell + padding) + "  "
    }
    return line
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
  }
}

/// A number with as many decimal places as its size needs: three digits at least.
private func decimal(_ value: Double) -> String {
  guard value.isFinite else { return "0" }
  let places = value < 10 ? 2 : value < 100 ? 1 : 0
  let scale = [1.0, 10.0, 100.0][places]
  let scaled = Int((value * scale).rounded())
  let whole = "\(scaled / Int(scale))"
  guard places > 0 else { return whole }
  let fraction = "\(scaled % Int(scale))"
  return whole + "." + String(repeating: "0", count: places - fraction.count) + fraction
}
