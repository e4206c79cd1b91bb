import StateGraph
import Testing

/// Takes every path by itself, each by a scenario that checks what comes of it.
@Suite(.serialized) struct PathCoverageTests {
  @Test func `scenarios of marks and runs`() async { await Self.check(.marks) }
  @Test func `scenarios of edges and temporaries`() async { await Self.check(.edges) }
  @Test func `scenarios of the removal of nodes`() async { await Self.check(.removal) }
  @Test func `scenarios of steps and their order`() async { await Self.check(.steps) }
  @Test func `scenarios of equal values and assignments`() async { await Self.check(.values) }
  @Test func `scenarios of transactions`() async { await Self.check(.transactions) }
  @Test func `scenarios of what transactions see`() async { await Self.check(.views) }
  @Test func `scenarios of attempts and followers`() async { await Self.check(.attempts) }
  @Test func `scenarios of conflicts`() async { await Self.check(.conflicts) }
  @Test func `scenarios of publication`() async { await Self.check(.publication) }
  @Test func `scenarios of updates`() async { await Self.check(.updates) }
  @Test func `scenarios of reclamation`() async { await Self.check(.reclamation) }
  @Test func `scenarios of values that are held and freed`() async { await Self.check(.freeing) }
  @Test func `scenarios of streams`() async { await Self.check(.streams) }
  @Test func `scenarios of buffers`() async { await Self.check(.buffers) }
  @Test func `scenarios of waits`() async { await Self.check(.waits) }
  @Test func `scenarios of groups and maps`() async { await Self.check(.tracking) }
  @Test func `scenarios of nested groups`() async { await Self.check(.nestedGroups) }
  @Test func `scenarios of what causes what`() async { await Self.check(.causes) }
  @Test func `scenarios of cycles`() async { await Self.check(.cycles) }
  @Test func `scenarios of async nodes`() async { await Self.check(.asyncNodes) }
  @Test func `scenarios of what async rules depend on`() async { await Self.check(.asyncReads) }

  /// Runs the scenarios of a group: each takes its paths and comes to its result.
  private static func check(_ group: ScenarioGroup) async {
    let report = await ScenarioReport.collected { path in
      await #expect(processExitsWith: .success) {
        [group = group as ScenarioGroup, path = path as String] in
        await ScenarioReport.run(group.scenarios, file: path)
      }
    }
    #expect(report == "")
  }

  @Test(.enabled(if: PathCounts.areKept))
  func `all scenarios together leave no path out`() async {
    let report = await ScenarioReport.collected { path in
      await #expect(processExitsWith: .success) { [path = path as String] in
        await ScenarioReport.run(ScenarioGroup.allCases.flatMap(\.scenarios), file: path)
        let table = PathTable()
        ScenarioReport.write(table.text)
        precondition(table.missing.isEmpty)
      }
    }
    print(report)
  }
}

/// How often each path has been taken in this process.
private struct PathTable {
  private let counts = PropagationPath.allCases.map { ($0, PathCounts.count(of: $0)) }

  /// The paths that have not been taken.
  var missing: [PropagationPath] { counts.filter { $0.1 == 0 }.map(\.0) }

  /// A line for each path, and one for all.
  var text: String {
    let width = counts.map { "\($0.1)".count }.max() ?? 0
    let lines = counts.map { path, count in
      String(repeating: " ", count: width - "\(count)".count) + "\(count)  \(path)"
    }
    let sum = "\(counts.count - missing.count) of \(counts.count) paths taken"
    return (lines + [sum] + missing.map { "not taken: \($0)" }).joined(separator: "\n")
  }
}
