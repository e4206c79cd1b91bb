import StateGraph

extension OneToMany {
  /// Makes a reaction that reads some of the sources; it captures those and no array, if few.
  @GraphActor
  static func makeReaction(
    _ index: Int, _ sources: [Stored<Int>], reads: Int, _ runs: Tally
  ) {
    func source(_ offset: Int) -> Stored<Int> { sources[(index * reads + offset) % sources.count] }
    switch reads {
    case 0:
      withGraphTrackingGroup(delivery: .immediate) { blackHole(index) }
    case 1:
      let only = source(0)
      withGraphTrackingGroup(delivery: .immediate) {
        runs.count += 1
        blackHole(only.wrappedValue)
      }
    case 2:
      let (first, second) = (source(0), source(1))
      withGraphTrackingGroup(delivery: .immediate) {
        runs.count += 1
        blackHole(first.wrappedValue + second.wrappedValue)
      }
    case 4:
      let (first, second, third, fourth) = (source(0), source(1), source(2), source(3))
      withGraphTrackingGroup(delivery: .immediate) {
        runs.count += 1
        blackHole(
          first.wrappedValue + second.wrappedValue + third.wrappedValue + fourth.wrappedValue)
      }
    default:
      let start = index * reads % sources.count
      let read = Array(sources[start..<(start + reads)])
      withGraphTrackingGroup(delivery: .immediate) {
        runs.count += 1
        var sum = 0
        for source in read { sum += source.wrappedValue }
        blackHole(sum)
      }
    }
  }
}
