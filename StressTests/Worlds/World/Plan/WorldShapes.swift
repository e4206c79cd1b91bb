/// Shapes of worlds that can be left out.
package struct WorldShapes: Sendable {
  /// The names of the shapes, for the command line.
  package static let names = [
    "tasksInRules", "endings", "chains", "asyncInTransactions", "abandoned", "models", "maps",
    "stored", "rounded", "opaque",
  ]

  private var omitted: Set<String> = []

  /// Makes a set of shapes.
  ///
  /// - Parameter omitted: Those that are left out, separated by commas.
  package init(omitting omitted: String = "") {
    self.omitted = Set(omitted.split(separator: ",").map(String.init))
  }

  func has(_ name: String) -> Bool { !omitted.contains(name) }
}
