import StateGraph
import StateGraphTesting

/// What the tasks of a history do, step by step, to a few nodes.
protocol HistoryWorkload: Sendable {
  /// The values of the nodes.
  associatedtype Value: Sendable & Equatable

  /// Makes the nodes of one history.
  init()

  /// The nodes, in the order of their keys.
  var nodes: [Stored<Value>] { get }

  /// Does one random thing and writes it down.
  func step(_ log: HistoryLog, _ random: inout SeededGenerator) async

  /// Writes down what a wait, or one of several reads, has found in a node.
  static func read(_ key: String, _ value: Value, _ log: HistoryLog)

  /// Writes down an element of a stream.
  static func deliver(_ value: Value, version: UInt64, to stream: HistoryStreamLog)
}

extension HistoryWorkload {
  /// What the history calls the nodes.
  static var keys: [String] { ["a", "b", "c", "d"] }

  /// A random position among the nodes.
  func place(_ random: inout SeededGenerator) -> Int {
    Int.random(in: 0..<nodes.count, using: &random)
  }
}
