/// A dependency graph: for each vertex, the edges that leave it, one after the other in memory.
final class DependencyGraph: Sendable {
  let operationCount: Int
  let vertexCount: Int
  /// Where the edges of a vertex begin; the next entry is where they end.
  private let offsets: [Int]
  /// Where an edge leads.
  let targets: [Int]
  /// Why it is there.
  let kinds: [EdgeKind]

  /// Sorts edges by their source.
  ///
  /// - Complexity: O(vertices and edges).
  init(_ edges: EdgeList) {
    operationCount = edges.operationCount
    vertexCount = edges.vertexCount
    var offsets = Array(repeating: 0, count: edges.vertexCount + 1)
    for source in edges.sources { offsets[source + 1] += 1 }
    for vertex in 0..<edges.vertexCount { offsets[vertex + 1] += offsets[vertex] }
    var places = offsets
    var targets = Array(repeating: 0, count: edges.targets.count)
    var kinds = Array(repeating: EdgeKind.step, count: edges.targets.count)
    for edge in edges.sources.indices {
      let place = places[edges.sources[edge]]
      places[edges.sources[edge]] += 1
      targets[place] = edges.targets[edge]
      kinds[place] = edges.kinds[edge]
    }
    self.offsets = offsets
    self.targets = targets
    self.kinds = kinds
  }

  /// The edges that leave a vertex.
  func edges(of vertex: Int) -> Range<Int> {
    offsets[vertex]..<offsets[vertex + 1]
  }

  /// Whether a vertex stands for a transaction or a stream element.
  func isOperation(_ vertex: Int) -> Bool {
    vertex < operationCount
  }
}
