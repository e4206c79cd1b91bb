import StateGraph
import StateGraphTesting

/// Two nodes that each commit makes equal, and what derives from them.
struct CommitReads {
  private let number = Stored(0)
  private let text = Stored("0")
  private let length: Computed<Int>
  private let difference: Computed<Int>

  private init() {
    length = Computed { [text] _ in Int(text.wrappedValue) ?? -1 }
    difference = Computed { [number, length] _ in number.wrappedValue - length.wrappedValue }
  }

  // MARK: - Bodies

  static func oneAfterTheOther(commits: Int) async throws {
    let nodes = CommitReads()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await nodes.commit(1...commits) }
      group.addTask { try await nodes.readNumberFirst() }
      if commits > 1 { group.addTask { try await nodes.readTextFirst() } }
    }
  }

  static func committed(commits: Int) async throws {
    let nodes = CommitReads()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await nodes.commit(1...commits) }
      group.addTask { try await nodes.readCommitted(times: commits) }
    }
  }

  static func snapshots(commits: Int) async throws {
    let nodes = CommitReads()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await nodes.commit(1...commits) }
      group.addTask { try await nodes.readTogether(times: commits) }
      if commits > 1 { group.addTask { try await nodes.readSnapshot(times: commits) } }
    }
  }

  static func visitors(commits: Int) async throws {
    let nodes = CommitReads()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await nodes.commit(1...commits) }
      group.addTask { try await nodes.readInTransaction() }
      if commits > 1 { group.addTask { try await nodes.follow(to: commits) } }
    }
  }

  static func all(commits: Int) async throws {
    let nodes = CommitReads()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await nodes.commitAwaiting(1...commits) }
      group.addTask { try await nodes.readNumberFirst() }
      group.addTask { try await nodes.readTextFirst() }
      group.addTask { try await nodes.readCommitted(times: commits) }
      group.addTask { try await nodes.readTogether(times: commits) }
      group.addTask { try await nodes.readInTransaction() }
      group.addTask { try await nodes.follow(to: commits) }
    }
  }

  // MARK: - Writers

  /// Each commit is seen by whatever the writer reads next.
  private func commit(_ values: ClosedRange<Int>) async {
    for value in values {
      await withGraphTransaction {
        number.wrappedValue = value
        text.wrappedValue = "\(value)"
      }
      let seen = (number.committedValue, text.committedValue)
      precondition(seen == (value, "\(value)"), "wrote \(value) and read \(seen)")
    }
  }

  private func commitAwaiting(_ values: ClosedRange<Int>) async throws {
    for value in values {
      try await withGraphTransaction {
        number.wrappedValue = value
        await Task.yield()
        // A read inside is the transaction's, whatever readers outside find.
        let inside = await GraphSnapshot.values(of: number, text)
        try Schedule.require(inside == (value, "\(value - 1)"), "\(inside) inside of \(value)")
        text.wrappedValue = await "\(number.value)"
      }
    }
  }

  // MARK: - Readers

  private func readNumberFirst() async throws {
    let first = await number.value
    let second = await text.value
    try Schedule.require(Int(second) ?? -1 >= first, "\(first), then the text \(second)")
    let third = await difference.value
    try Schedule.require(third == 0, "the difference is \(third)")
  }

  private func readTextFirst() async throws {
    let first = await length.value
    let second = await number.value
    try Schedule.require(second >= first, "\(first), then the number \(second)")
    let third = await text.value
    try Schedule.require(Int(third) ?? -1 >= second, "\(second), then the text \(third)")
  }

  private func readCommitted(times: Int) async throws {
    for _ in 0..<times {
      let first = number.committedValue
      await Schedule.yield()
      let second = Int(text.committedValue) ?? -1
      try Schedule.require(second >= first, "committed \(first), then \(second)")
      await Schedule.yield()
      let third = number.committedValue
      try Schedule.require(third >= second, "committed \(second), then \(third)")
      let derived = difference.committedValue ?? 0
      try Schedule.require(derived == 0, "the committed difference is \(derived)")
    }
  }

  private func readTogether(times: Int) async throws {
    var last = 0
    for _ in 0..<times {
      let (one, two, three) = await GraphSnapshot.values(of: number, text, length)
      try Schedule.require(two == "\(one)" && three == one, "together: \(one), \(two), \(three)")
      try Schedule.require(one >= last, "together \(one) after \(last)")
      last = one
    }
  }

  private func readSnapshot(times: Int) async throws {
    var last: UInt64 = 0
    for _ in 0..<times {
      let seen = await withGraphSnapshot { ($0[number], $0[text], $0[difference], $0.version) }
      try Schedule.require(seen.1 == "\(seen.0)" && seen.2 == 0, "a snapshot has \(seen)")
      try Schedule.require(seen.3 >= last, "version \(seen.3) after \(last)")
      last = seen.3
    }
  }

  private func readInTransaction() async throws {
    try await withGraphTransaction(maximumAttempts: 100) {
      let first = await number.value
      await Task.yield()
      let second = await text.value
      try Schedule.require(second == "\(first)", "a transaction saw \(first) and \(second)")
      try Schedule.require(difference.wrappedValue == 0, "a transaction saw a difference")
    }
  }

  private func follow(to end: Int) async throws {
    for await change in number.changes(buffering: .unbounded) {
      let later = Int(text.committedValue) ?? -1
      try Schedule.require(later >= change.value, "an element \(change.value), then \(later)")
      if change.value == end { break }
    }
  }
}
