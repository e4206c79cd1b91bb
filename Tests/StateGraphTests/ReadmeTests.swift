import Foundation
import StateGraph
import Testing

// The example of the README, line for line.

@GraphActor final class Account {
  @GraphStored var balance = 0
  @GraphStored var limit = -100
  @GraphComputed var isOverdrawn: Bool
  init() {
    $isOverdrawn = .init { [$balance, $limit] in $balance.wrappedValue < $limit.wrappedValue }
  }
}

@Suite struct ReadmeTests {
  /// Runs the example; what it prints is collected.
  private func example() async -> [String] {
    var printed: [String] = []
    func print(_ value: some Any) { printed.append("\(value)") }

    let account = await Account()
    await account.$balance.set(50)  // a commit
    await withGraphTransaction { account.balance -= 200 }  // one commit, all or nothing
    print(await account.isOverdrawn)  // true: computed, cached, tracked
    for await balance in await account.$balance.values {  // now, then every change
      print(balance)  // -150
      break
    }

    return printed
  }

  @Test func `the example does what it says`() async {
    #expect(await example() == ["true", "-150"])
  }

  @Test func `the example is the one of the README`() throws {
    let tests = URL(filePath: #filePath)
    let readme = tests.deletingLastPathComponent().appending(path: "../../README.md")
    func lines(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty && $0 != "import StateGraph" }
    }
    let blocks = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "```")
    let example = try #require(blocks.first { $0.hasPrefix("swift\nimport StateGraph") })
    let here = lines(try String(contentsOf: tests, encoding: .utf8))
    for line in lines(example.dropFirst("swift".count)) {
      #expect(here.contains(line), "not compiled here: \(line)")
    }
  }
}
