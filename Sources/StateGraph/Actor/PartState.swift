/// The state of a part of the library that the actor does not know.
///
/// Each part that needs some keeps it in its folder, in a constant like this one: behind a pointer for
/// the same reason as `Graph`.
// SAFETY: Allocated once and never freed; only code isolated to GraphActor touches the state.
struct PartState<State: ~Copyable>: @unchecked Sendable {
  private let pointer: UnsafeMutablePointer<State>

  init(_ state: consuming State) {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: state)
  }

  /// The state.
  @GraphActor var state: State {
    _read { yield pointer.pointee }
    nonmutating _modify { yield &pointer.pointee }
  }
}
