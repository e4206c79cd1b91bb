/// A part of a dependency graph: the vertices with one number, and the edges between them.
struct GraphRegion {
  /// The number of the region of each vertex.
  var numbers: [Int]
  /// The highest level of edges that belong to it.
  var level: Int
}

extension DependencyGraph {
  /// The strongly connected components of the regions of a graph, as far as they have at least two
  /// operations.
  ///
  /// A path from an operation through relays back to itself is none: a transaction that replaces
  /// what it read comes after nothing but itself.
  ///
  /// The algorithm is that of R. Tarjan, "Depth-First Search and Linear Graph Algorithms" (SIAM J.
  /// Comput. 1, 1972), with a stack of its own instead of recursion.
  ///
  /// - Parameters:
  ///   - roots: Where to look: the vertices of the regions, or at least one for each component.
  ///   - region: Edges within it are followed.
  ///   - visits: Grows by the number of edges that were looked at.
  /// - Returns: The components; the vertices of each in ascending order.
  /// - Complexity: O(vertices and edges).
  func components(
    from roots: some Sequence<Int>, in region: GraphRegion, visits: inout Int
  ) -> [[Int]] {
    var search = ComponentSearch(graph: self, region: region)
    for root in roots where !search.isVisited(root) { search.visit(from: root) }
    visits += search.visits
    return search.components
  }
}

/// One run of Tarjan's algorithm.
private struct ComponentSearch {
  let graph: DependencyGraph
  let region: GraphRegion
  var components: [[Int]] = []
  var visits = 0
  /// The order of visits, from 1 on; 0 for a vertex that has not been visited.
  private var indices: [Int]
  /// The smallest index that can be reached; `Int.max` once the component is complete.
  private var lowLinks: [Int]
  private var nextIndex = 1
  /// The vertices whose components are not complete.
  private var open: [Int] = []
  /// The path from the root, with the next edge to follow from each vertex.
  private var path: [(vertex: Int, edge: Int)] = []

  init(graph: DependencyGraph, region: GraphRegion) {
    self.graph = graph
    self.region = region
    indices = Array(repeating: 0, count: graph.vertexCount)
    lowLinks = indices
  }

  func isVisited(_ vertex: Int) -> Bool {
    indices[vertex] != 0
  }

  mutating func visit(from root: Int) {
    enter(root)
    while let (vertex, edge) = path.last {
      guard edge < graph.edges(of: vertex).upperBound else {
        leave(vertex)
        continue
      }
      path[path.count - 1].edge += 1
      visits += 1
      let target = graph.targets[edge]
      guard graph.kinds[edge].level <= region.level,
        region.numbers[target] == region.numbers[vertex]
      else { continue }
      if indices[target] == 0 {
        enter(target)
      } else if lowLinks[target] != .max {
        lowLinks[vertex] = min(lowLinks[vertex], indices[target])
      }
    }
  }

  private mutating func enter(_ vertex: Int) {
    indices[vertex] = nextIndex
    lowLinks[vertex] = nextIndex
    nextIndex += 1
    open.append(vertex)
    path.append((vertex, graph.edges(of: vertex).lowerBound))
  }

  private mutating func leave(_ vertex: Int) {
    path.removeLast()
    if let parent = path.last?.vertex {
      lowLinks[parent] = min(lowLinks[parent], lowLinks[vertex])
    }
    guard lowLinks[vertex] == indices[vertex] else { return }
    var operationCount = 0
    var first = open.count
    repeat {
      first -= 1
      lowLinks[open[first]] = .max
      if graph.isOperation(open[first]) { operationCount += 1 }
    } while open[first] != vertex
    if operationCount > 1 { components.append(open[first...].sorted()) }
    open.removeSubrange(first...)
  }
}
