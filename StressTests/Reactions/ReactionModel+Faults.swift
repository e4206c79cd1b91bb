// Where the library differs from the rules.

extension ReactionModel {
  /// Faults of the library that the model shares, so that all else can be compared.
  ///
  /// `ReactionFaultTests` has a small program for each. To be taken out when the library is right.
  struct Faults: OptionSet {
    let rawValue: Int

    /// A reaction that has ended keeps its place in the queue until the next step.
    ///
    /// When it comes up, those that it was made in are looked after: they run too early, and rules run
    /// for those that have ended.
    static let endedReactionsCount = Faults(rawValue: 1)
    /// A running reaction does not hear that a node which it has read has changed, if that is found
    /// out by a check on its behalf: when it reads what depends on the node, or when a reaction ends
    /// that is nested in it.
    static let checksHideNews = Faults(rawValue: 2)
    /// A running reaction, once marked, hears of changes of what only the run before has read.
    static let formerReadingsCount = Faults(rawValue: 4)
    /// What the handler of an assignment stages in the transaction of a reaction counts as a write of
    /// that reaction, and so is no news to it.
    static let handlersStageForOthers = Faults(rawValue: 8)
    /// Where a running reaction takes note of what it has changed by nodes that it has made, rules run
    /// also for what only the run before has read.
    static let formerReadingsAreSettled = Faults(rawValue: 16)

    static let all: Faults = [
      .endedReactionsCount, .checksHideNews, .formerReadingsCount, .handlersStageForOthers,
      .formerReadingsAreSettled,
    ]
  }

  /// Does what the library does wrongly when a computed node has got another value.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - isTracked: Whether it has been evaluated on behalf of the innermost run.
  func makeFaults(atChangeOf node: Int, isTracked: Bool) {
    for place in runs.indices {
      guard let reaction = vertices[runs[place].vertex].reaction else { continue }
      let isReader = isTracked && place == runs.count - 1
      let reading = runs[place].readings.firstIndex { $0.node == node }
      if isReader {
        guard let reading, nodeInHand != node, faults.contains(.checksHideNews) else { continue }
        runs[place].readings[reading].change += 1
      } else if reading == nil, reaction.isMarked, faults.contains(.formerReadingsCount) {
        let former = runs[place].former[runs[place].repeated...]
        if former.contains(where: { $0.node == node }) {
          vertices[reaction.vertex].isForced = true
        }
      }
    }
  }
}
