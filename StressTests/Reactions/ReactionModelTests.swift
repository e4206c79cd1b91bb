import Foundation
import StateGraph
import Testing

/// Random programs of reactions do what the model does: the same runs, in the same order, which see
/// the same values.
@Suite struct ReactionModelTests {
  /// The number of programs of one process.
  private static let chunk: UInt64 = 100

  /// The seed of the only program to be tried, if the environment names one.
  private static let replayed = ProcessInfo.processInfo.environment["STATEGRAPH_REACTION_SEED"]
    .flatMap { UInt64($0) }

  @Test(arguments: 0..<20)
  func `reactions run as often as the model says, and in its order`(part: UInt64) async {
    if Self.replayed != nil, part != 0 { return }
    let first = Self.replayed ?? part * Self.chunk
    let count = Self.replayed == nil ? Self.chunk : 1
    await #expect(processExitsWith: .success) {
      [first = first as UInt64, count = count as UInt64] in
      Graph.shared.stopPausing()
      var comparison = ReactionComparison()
      for seed in first..<first + count {
        await comparison.compare(seed: seed)
      }
      print("\(comparison.runCount) runs of reactions, seeds from \(first)")
    }
  }
}

extension ReactionComparison {
  /// Compares the program of a seed, and reports the first difference.
  mutating func compare(seed: UInt64) async {
    await compareProgram(of: seed)
    let broken = await Graph.shared.brokenInvariants()
    #expect(broken == [], "STATEGRAPH_REACTION_SEED=\(seed)")
  }

  private mutating func compareProgram(of seed: UInt64) async {
    var generator = ReactionProgramGenerator(seed: seed)
    let program = generator.make()
    do {
      try await compare(program)
    } catch {
      let (smallest, difference) = await program.reduced(failingWith: error)
      Issue.record("STATEGRAPH_REACTION_SEED=\(seed)\n\(difference)\n\(smallest)")
    }
  }
}
