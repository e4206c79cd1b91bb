import Foundation
import StateGraph
import StateGraphTesting
import Testing

// The example of the README, line for line.

@Test func `no update is lost, whoever comes first`() async {
  await #expect(processExitsWith: .success) {  // a process of its own: nobody else uses the graph
    do {
      try await withEverySchedule(upTo: 1_000) {
        let count = Stored(0)
        async let one: Void = count.update { $0 += 1 }
        async let two: Void = count.update { $0 += 1 }
        _ = await (one, two)
        try Schedule.require(await count.value == 2, "an update was lost")
      }
    } catch {
      Issue.record(error)  // names the seed; an error that leaves the process would be lost
    }
  }
}

@Test func `the example of the README for seeded schedules is compiled here`() throws {
  let tests = URL(filePath: #filePath)
  let readme = tests.deletingLastPathComponent().appending(path: "../../README.md")
  func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
  }
  let blocks = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "```")
  let example = try #require(blocks.first { $0.contains("withEverySchedule") })
  let here = lines(try String(contentsOf: tests, encoding: .utf8))
  for line in lines(example.dropFirst("swift".count)) {
    #expect(here.contains(line), "not compiled here: \(line)")
  }
}
