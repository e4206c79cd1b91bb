// The log: every commit of the graph, with the nodes it changed.

import StateGraph

/// Counts the commits that play an event, and checks that each event is one.
struct CommitCounter {
  /// What any event changes: a status, `played`, and three counters of an airport and an airline.
  private static let leastChanges = 8

  private let network: Network

  /// The subscription, which begins when the iterator is made.
  private var commits: GraphCommits.Iterator

  /// Makes a counter that misses no commit from now on.
  init(of network: Network) {
    self.network = network
    // A log has no current value to begin with, unlike a node. So the subscription must begin
    // before the first event, which `for await` in a task of its own could not promise.
    commits = GraphActor.commits().makeAsyncIterator()
  }

  /// Takes the commits one by one until the one that ends the replay.
  ///
  /// - Returns: The number of commits and the faults.
  mutating func count() async -> Findings {
    var findings = Findings()
    var last: UInt64 = 0
    while let commit = await commits.next(isolation: nil) {
      findings.expect(
        commit.version > last, "commit \(commit.version) came after commit \(last)")
      last = commit.version
      // The graph is one for the whole process: commits of other nodes are not of interest.
      if commit.changedNodes.contains(network.played.id) {
        findings.commits += 1
        findings.expect(
          commit.changedNodes.count >= CommitCounter.leastChanges,
          "commit \(commit.version) is part of an event only: \(commit.changedNodes)")
      }
      if commit.changedNodes.contains(network.isOver.id) { break }
    }
    let commits = findings.commits
    findings.expect(
      commits == network.eventCount,
      "\(network.eventCount) events were played in \(commits) commits")
    return findings
  }
}
