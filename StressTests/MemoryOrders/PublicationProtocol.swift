/// Readers beside commits, as `ReaderEpochs`, `StoredCell` and `ComputedCell` have it.
///
/// Each value belongs to the version that the reader has loaded, and no box is read that may have
/// been freed.
struct PublicationProtocol {
  /// What the actor does, one after the other.
  enum Act {
    /// Stored nodes get new values, computed ones are taken away, and a version is published.
    case commit(stored: [Int], marked: [Int])
    /// A visit publishes a computed node.
    case publish(Int)
  }

  let orders: AtomicOrders
  let acts: [Act]
  /// How many nodes there are.
  let nodeCount: Int
  /// For each reader how often it reads all nodes.
  let readers: [Int]

  /// Whether a node is taken away by commits, and not replaced.
  private func isComputed(_ node: Int) -> Bool {
    acts.contains { act in
      if case .commit(_, let marked) = act { marked.contains(node) } else { false }
    }
  }

  // MARK: - Locations

  private static let version = 0
  private static let epoch = 1
  /// The counters of readers, by parity of their epoch.
  private static let counters = [2, 3]
  private static func published(_ node: Int) -> Int { 4 + node }
  /// The boxes; the first of each node is made in advance.
  private func box(_ number: Int) -> Int { 4 + nodeCount + number }
  private var boxCount: Int { nodeCount * (1 + acts.count) }

  /// What a box says, packed into a number: since which version it holds, and what held before.
  private struct Box {
    let from: Int
    let previous: Int
    /// What is left of a box that has been freed.
    static let freed = -1
    /// Leads to no box: a computed node is not published.
    static let none = 1

    init(from: Int, previous: Int) {
      self.from = from
      self.previous = previous
    }

    init(packed: Int) throws {
      guard packed != Self.freed else { throw Fault("a freed box is read") }
      (from, previous) = (packed >> 8, packed & 255)
    }

    var packed: Int { from << 8 | previous }
  }

  /// All executions.
  var executions: Executions {
    var values = [0, 2, 0, 0] + (0..<nodeCount).map { box($0) }
    values += (0..<boxCount).map { _ in Box(from: 0, previous: 0).packed }
    let reading: [Executions.Code] = readers.map { times in
      { strand in for _ in 0..<times { try read(&strand) } }
    }
    return Executions(values: values, threads: reading + [act])
  }

  // MARK: - Readers

  private func read(_ strand: inout Strand) throws {
    let counter = try begin(&strand)
    let version = try strand.load(Self.version, orders[.loadVersion])
    for node in 0..<nodeCount {
      guard let from = try find(node, at: version, &strand) else { continue }
      guard lastChange(of: node, at: from) == lastChange(of: node, at: version) else {
        throw Fault("node \(node) has the value of \(from) at \(version)")
      }
    }
    try strand.add(-1, to: counter, orders[.end])
  }

  private func begin(_ strand: inout Strand) throws -> Int {
    while true {
      let epoch = try strand.load(Self.epoch, .relaxed)
      let counter = Self.counters[epoch & 1]
      try strand.add(1, to: counter, orders[.announce])
      if try strand.load(Self.epoch, orders[.confirm]) == epoch { return counter }
      try strand.add(-1, to: counter, orders[.withdraw])
    }
  }

  /// The version since which the value has held that is found; nil if none is to be had outside.
  private func find(_ node: Int, at version: Int, _ strand: inout Strand) throws -> Int? {
    let order = orders[isComputed(node) ? .findComputed : .findStored]
    var link = try strand.load(Self.published(node), order)
    while link > Box.none {
      let box = try Box(packed: strand.read(link))
      // A computed value has no box before.
      if box.from <= version { return box.from }
      link = box.previous
    }
    guard link == Box.none else { throw Fault("node \(node) has no value at \(version)") }
    return nil
  }

  /// The last version up to a given one that has changed a node.
  private func lastChange(of node: Int, at version: Int) -> Int {
    var (now, last) = (0, 0)
    for act in acts where now < version {
      switch act {
      case .commit(let stored, let marked):
        now += 1
        if stored.contains(node) || marked.contains(node) { last = now }
      case .publish:
        break
      }
    }
    return last
  }

  // MARK: - The actor

  private struct Actor {
    var version = 0
    var epoch = 2
    /// For each node what is published.
    var current: [Int]
    var boxCount: Int
    var retired: [(box: Int, epoch: Int)] = []
  }

  private func act(_ strand: inout Strand) throws {
    var actor = Actor(current: (0..<nodeCount).map { box($0) }, boxCount: nodeCount)
    for act in acts {
      switch act {
      case .commit(let stored, let marked):
        for node in stored { try replace(node, &actor, &strand) }
        for node in marked where actor.current[node] != Box.none {
          actor.retired.append((actor.current[node], actor.epoch))
          actor.current[node] = Box.none
          try strand.store(Box.none, to: Self.published(node), orders[.unpublish])
        }
        try publishVersion(&actor, &strand)
      case .publish(let node):
        try publish(Box(from: actor.version, previous: Box.none), of: node, &actor, &strand)
      }
    }
  }

  private func replace(_ node: Int, _ actor: inout Actor, _ strand: inout Strand) throws {
    let before = actor.current[node]
    try publish(Box(from: actor.version + 1, previous: before), of: node, &actor, &strand)
    actor.retired.append((before, actor.epoch))
  }

  private func publish(
    _ new: Box, of node: Int, _ actor: inout Actor, _ strand: inout Strand
  ) throws {
    actor.current[node] = box(actor.boxCount)
    actor.boxCount += 1
    try strand.write(new.packed, to: actor.current[node])
    try strand.store(actor.current[node], to: Self.published(node), orders[.publish])
  }

  private func publishVersion(_ actor: inout Actor, _ strand: inout Strand) throws {
    actor.version += 1
    try strand.store(actor.version, to: Self.version, orders[.storeVersion])
    for _ in 0..<2 {
      guard try strand.load(Self.counters[~actor.epoch & 1], orders[.check]) == 0 else { break }
      actor.epoch += 1
      try strand.store(actor.epoch, to: Self.epoch, orders[.advance])
    }
    for (box, epoch) in actor.retired where epoch + 2 <= actor.epoch {
      try strand.write(Box.freed, to: box)
    }
    actor.retired.removeAll { $0.epoch + 2 <= actor.epoch }
  }
}
