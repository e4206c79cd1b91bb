// Plain text in columns.

/// A table whose columns are as wide as their widest cell.
package struct Table: Sendable {
  /// The rows, the heading first; all of them have the same number of cells.
  package var rows: [[String]]

  /// Makes a table.
  package init(heading: [String], rows: [[String]]) {
    self.rows = [heading] + rows
  }

  /// The lines: the first column is aligned to the left, numbers to the right.
  package var lines: [String] {
    let widths = (rows.first ?? []).indices.map { column in
      rows.reduce(0) { max($0, $1[column].count) }
    }
    return rows.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + padding : padding + cell.0
      }.joined(separator: "  ")
    }
  }
}
