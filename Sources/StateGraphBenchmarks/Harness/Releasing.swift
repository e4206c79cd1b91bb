import StateGraph

/// Holds something until it is told to let go of it.
///
/// So that the time of a release can be taken apart from that of the making.
@GraphActor
final class Releasing<Content> {
  private var content: Content?

  init(_ content: Content) {
    self.content = content
  }

  /// Lets go of the content, and has the graph remove what was in it.
  func release() {
    content = nil
    removeReleasedNodes()
  }
}
