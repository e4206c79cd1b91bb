import StateGraph
import StateGraphTesting

// What is kept for consumers that are behind.

extension Scenario {
  static let buffers = [bounded, joined, cancelledBehind]

  private static let bounded = Scenario(
    "a bounded buffer tells how many changes it has dropped", [.dropsOldest, .dropsNewest]
  ) { @GraphActor in
    let node = Stored(0)
    var newest = node.changes(buffering: .newest(2)).makeAsyncIterator()
    var oldest = node.changes(buffering: .oldest(2)).makeAsyncIterator()
    var single = node.changes(buffering: .newest(1)).makeAsyncIterator()
    _ = await single.next(isolation: GraphActor.shared)
    _ = await newest.next(isolation: GraphActor.shared)
    _ = await oldest.next(isolation: GraphActor.shared)
    for value in 1...5 { node.wrappedValue = value }
    let four = await newest.next(isolation: GraphActor.shared)
    require(four?.value == 4 && four?.dropped == 3)
    require(await newest.next(isolation: GraphActor.shared)?.value == 5)
    require(await oldest.next(isolation: GraphActor.shared)?.value == 1)
    require(await oldest.next(isolation: GraphActor.shared)?.value == 2)
    let five = await single.next(isolation: GraphActor.shared)
    require(five?.value == 5 && five?.dropped == 4)
    node.wrappedValue = 6
    let six = await oldest.next(isolation: GraphActor.shared)
    require(six?.value == 6 && six?.dropped == 3)
  }

  private static let joined = Scenario(
    "buffers that are joined are the same as one", [.dropsOldest, .dropsNewest]
  ) {
    let bufferings: [GraphBuffering] = [
      .unbounded, .newest(1), .newest(3), .oldest(1), .oldest(3),
    ]
    for buffering in bufferings {
      for end in 0...8 {
        for middle in 0...end {
          var (whole, one, other) = (
            ChangeBuffer<Int>(buffering), ChangeBuffer<Int>(buffering),
            ChangeBuffer<Int>(buffering)
          )
          for element in 0..<end {
            whole.append(element)
            if element < middle { one.append(element) } else { other.append(element) }
          }
          one.append(contentsOf: other)
          // What comes when there is room again tells what has been dropped at the end.
          for element in end..<end + 4 {
            let (expected, joined) = (whole.popFirst(), one.popFirst())
            require(
              expected?.element == joined?.element && expected?.dropped == joined?.dropped,
              "\(buffering) of \(end), joined at \(middle)")
            whole.append(element)
            one.append(element)
          }
        }
      }
    }
  }

  private static let cancelledBehind = Scenario(
    "a consumer that is cancelled takes nothing more, whatever is left for it",
    [.signalsBusyConsumer]
  ) {
    let node = Stored(0)
    let consumer = Task {
      var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
      var values = node.values.makeAsyncIterator()
      var commits = GraphActor.commits().makeAsyncIterator()
      require(await changes.next(isolation: nil)?.value == 0)
      require(await values.next(isolation: nil) == 0)
      await node.set(1)
      require(await changes.next(isolation: nil)?.value == 1)
      require(await commits.next(isolation: nil)?.changedNodes == [node.id])
      await node.set(2)
      withUnsafeCurrentTask { $0?.cancel() }
      require(await changes.next(isolation: nil) == nil)
      require(await values.next(isolation: nil) == nil)
      require(await commits.next(isolation: nil) == nil)
    }
    await consumer.value
  }
}
