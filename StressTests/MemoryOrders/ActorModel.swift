/// The actor: one thread at a time is on it.
struct ActorModel {
  /// Whether nobody is on it.
  let isFree: Int

  func visit<R>(_ strand: inout Strand, _ body: (inout Strand) throws -> R) throws -> R {
    repeat {
      _ = try strand.await(isFree, .relaxed)
    } while try strand.exchange(0, at: isFree, .acquiring) == 0
    let result = try body(&strand)
    try strand.store(1, to: isFree, .releasing)
    return result
  }
}
