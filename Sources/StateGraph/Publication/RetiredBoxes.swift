/// Boxes that have been replaced, the oldest first, until no reader can hold them any more.
struct RetiredBoxes: ~Copyable {
  private struct Entry {
    let epoch: UInt64
    let link: BoxLink
    let type: any FreeableBox.Type
  }

  private var entries: [Entry] = []
  private var start = 0

  /// The number of boxes.
  var count: Int { entries.count - start }

  /// Adds a box, which the list owns from now on.
  mutating func append(_ link: BoxLink, of type: any FreeableBox.Type, replacedIn epoch: UInt64) {
    entries.append(Entry(epoch: epoch, link: link, type: type))
  }

  /// Takes out the oldest box if its epoch is over, to be freed.
  ///
  /// - Complexity: O(1) amortised.
  mutating func popFirst(
    _ readers: ReaderEpochs
  ) -> (link: BoxLink, type: any FreeableBox.Type)? {
    guard start < entries.count, readers.isOver(entries[start].epoch) else { return nil }
    let entry = entries[start]
    start += 1
    if start == entries.count {
      entries.removeAll(keepingCapacity: start < 1_000)
      start = 0
    } else if start >= 1_000, start * 2 >= entries.count {
      entries.removeFirst(start)
      start = 0
    }
    return (entry.link, entry.type)
  }
}
