import Testing

/// Rings of reactions that never come to rest end with a message.
@Suite struct ReactionFeedbackTests {
  @Test(arguments: 0..<40)
  func `a ring of reactions ends with a message that names its members in order`(
    seed: UInt64
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [seed] in
      await FeedbackRing(seed: seed).run()
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let line = output.split(separator: "\n").first { $0.contains("without an end") } ?? ""
    let members = FeedbackRing(seed: seed).members
    let words = line.split { $0 == " " }.map(String.init)
    let kinds = ["member", "outer", "node", "bystander"]
    let named = words.filter { word in kinds.contains { word.hasPrefix($0) } }
    // A ring may be entered anywhere.
    let rotations = members.indices.map { Array(members[$0...] + members[..<$0]) }
    #expect(rotations.contains(named), "\(members) are named: \(output)")
  }
}
