import Foundation
import StateGraph
import Testing

/// Every path is counted somewhere, every fault is made somewhere, and both are described.
@Suite struct PathTableTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `each path is counted where it is taken`() throws {
    let counted = try Self.names(after: "passes(")
    for path in PropagationPath.allCases {
      #expect(counted.contains("\(path)"), "\(path) is counted nowhere in Sources/StateGraph")
    }
  }

  @Test func `the documentation lists each path`() throws {
    let text = try Self.text(of: "Docs/VERIFICATION.md")
    for path in PropagationPath.allCases {
      #expect(text.contains("| `\(path)` |"), "Docs/VERIFICATION.md does not list \(path)")
    }
  }

  @Test func `each mutant is made, tried and described`() throws {
    let made = try Self.names(after: "isMutated(")
    let tried = try Self.text(of: ".ci/mutants")
    let described = try Self.text(of: "Docs/VERIFICATION.md")
    for mutant in Mutant.allCases {
      #expect(made.contains("\(mutant)"), "\(mutant) is made nowhere in Sources/StateGraph")
      #expect(tried.contains("\n\(mutant) "), ".ci/mutants does not try \(mutant)")
      #expect(described.contains("| `\(mutant)` |"), "Docs/VERIFICATION.md does not list \(mutant)")
    }
  }

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The names that follow a dot in a line with a call, in the sources of the library.
  private static func names(after call: String) throws -> Set<String> {
    let sources = root.appending(path: "Sources/StateGraph")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var names: Set<String> = []
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains(call) {
        for match in line.matches(of: #/[ (]\.([a-z]\w*)/#) { names.insert(String(match.output.1)) }
      }
    }
    return names
  }
}
