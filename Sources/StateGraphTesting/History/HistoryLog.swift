/// What one task writes down for a `HistoryRecorder`.
///
/// A log stands for a *process*: something that does one thing after the other. Everything is
/// written down between the begin and the end of a transaction; a read or a write outside of every
/// transaction of the graph is a transaction with one operation. A body that the graph runs again
/// after a conflict says `begin()` first: what it had written down before counts as aborted.
///
/// **Isolation:** Belongs to one task at a time, and has nothing that protects it from two. It may
/// be used in code that the task awaits on an actor, such as the body of a transaction.
public final class HistoryLog {
  /// A transaction.
  private struct Record {
    let begin: UInt64
    let end: UInt64
    let outcome: History.Outcome
    let version: UInt64?
    let isWait: Bool
    /// Where its operations begin and end among those of the log.
    let operations: Range<Int>
  }

  /// The number of the process, from 1 on.
  public let process: Int
  let recorder: HistoryRecorder
  /// The operations of all transactions.
  private var operations: [History.Operation] = []
  /// The transactions that have ended.
  private var records: [Record] = []
  /// Whether there is an open transaction; the next three are about it.
  private var isOpen = false
  private var isWait = false
  private var beginTime: UInt64 = 0
  private var firstOperation = 0
  /// How many values `newValue()` has made.
  private var valueCount = 0
  /// The streams that were followed.
  var streamLogs: [HistoryStreamLog] = []

  init(process: Int, recorder: HistoryRecorder, expecting count: Int) {
    self.process = process
    self.recorder = recorder
    operations.reserveCapacity(count)
    records.reserveCapacity(count / 2)
  }

  /// Begins a transaction; one that is open counts as aborted.
  ///
  /// - Complexity: O(1) amortised: one atomic addition.
  public func begin() {
    begin(isWait: false)
  }

  /// Ends the open transaction as committed.
  ///
  /// - Parameter version: The version that the commit made, or, if nothing was written, that was
  ///   read; nil if that is not known.
  /// - Precondition: A transaction is open.
  /// - Complexity: O(1): one atomic addition.
  public func commit(version: UInt64? = nil) {
    end(.committed, version: version)
  }

  /// Ends the open transaction as aborted.
  ///
  /// - Precondition: A transaction is open.
  /// - Complexity: O(1): one atomic addition.
  public func abort() {
    end(.aborted, version: nil)
  }

  private func begin(isWait: Bool) {
    if isOpen { abort() }
    isOpen = true
    self.isWait = isWait
    firstOperation = operations.count
    beginTime = recorder.timeOfBegin()
  }

  private func end(_ outcome: History.Outcome, version: UInt64?) {
    let time = recorder.timeOfEnd()
    precondition(isOpen, "process \(process) ends a transaction that it has not begun")
    isOpen = false
    if let record = makeRecord(outcome, end: time, version: version) { records.append(record) }
  }

  /// The open transaction; nil if it says nothing.
  private func makeRecord(
    _ outcome: History.Outcome, end: UInt64, version: UInt64?
  ) -> Record? {
    // One that did nothing has at most a place in real time, and that only if it committed.
    guard outcome == .committed || firstOperation < operations.count else { return nil }
    return Record(
      begin: beginTime, end: end, outcome: outcome, version: version, isWait: isWait,
      operations: firstOperation..<operations.count)
  }

  private func record(_ operation: History.Operation) {
    precondition(isOpen, "process \(process) records \(operation) outside of a transaction")
    operations.append(operation)
  }
}

// That the tasks are done when the recorder reads it is a precondition of `history(initialValues:)`.
// SAFETY: The owner uses the log from one task at a time, and the recorder after that.
extension HistoryLog: @unchecked Sendable {}

// MARK: - Whole transactions

extension HistoryLog {
  /// Runs a body as a transaction: committed if it returns, aborted if it throws.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the caller, in which the body runs.
  ///   - body: Does something to the graph, and writes it down.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func transaction<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    begin()
    return try await ending(isolation: isolation, body)
  }

  /// Runs a body that waits for a condition and then reads what made it true.
  ///
  /// The wait counts as a transaction that reads, at some moment between its begin and its end.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the caller, in which the body runs.
  ///   - body: Waits, and writes down what it saw when the wait ended.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, for example because the task has been cancelled.
  public func wait<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    begin(isWait: true)
    return try await ending(isolation: isolation, body)
  }

  private func ending<R>(
    isolation: isolated (any Actor)?, _ body: () async throws -> R
  ) async rethrows -> R {
    do {
      let result = try await body()
      commit()
      return result
    } catch {
      abort()
      throw error
    }
  }
}

// MARK: - Operations

extension HistoryLog {
  /// Records that the open transaction has read a register.
  ///
  /// - Parameters:
  ///   - key: The key; up to 15 bytes cost no reference counting.
  ///   - value: What was read.
  ///   - version: A version at which the key had the value, if that is known.
  /// - Returns: The value.
  @discardableResult
  public func read(_ key: String, _ value: Int, version: UInt64? = nil) -> Int {
    record(.read(key, value, version: version))
    return value
  }

  /// Records that the open transaction has read a list.
  ///
  /// - Parameters:
  ///   - key: The key; up to 15 bytes cost no reference counting.
  ///   - list: What was read; the log shares its memory.
  ///   - version: A version at which the key had the value, if that is known.
  /// - Returns: The list.
  @discardableResult
  public func read(_ key: String, _ list: [Int], version: UInt64? = nil) -> [Int] {
    record(.read(key, list, version: version))
    return list
  }

  /// Records that the open transaction writes a register.
  ///
  /// - Parameters:
  ///   - key: The key; up to 15 bytes cost no reference counting.
  ///   - value: What is written; nil makes a new value.
  /// - Returns: The value.
  @discardableResult
  public func write(_ key: String, _ value: Int? = nil) -> Int {
    let value = value ?? newValue()
    record(.write(key, value))
    return value
  }

  /// Records that the open transaction appends to a list.
  ///
  /// - Parameters:
  ///   - key: The key; up to 15 bytes cost no reference counting.
  ///   - value: What is appended; nil makes a new value.
  /// - Returns: The value.
  @discardableResult
  public func append(_ key: String, _ value: Int? = nil) -> Int {
    let value = value ?? newValue()
    record(.append(key, value))
    return value
  }

  /// Makes a value that no other call makes, in any log of the recorder.
  ///
  /// - Returns: The number of the process, then seven digits that count; 20000001 is the first of
  ///   process 2.
  public func newValue() -> Int {
    valueCount += 1
    precondition(valueCount < 10_000_000, "a log makes less than 10,000,000 values")
    return process * 10_000_000 + valueCount
  }
}

// MARK: - Merging

extension HistoryLog {
  /// The transactions; one that is still open has an unknown outcome.
  func transactions() -> [History.Transaction] {
    let open = isOpen ? makeRecord(.unknown, end: .max, version: nil) : nil
    return (records + (open.map { [$0] } ?? [])).map { record in
      History.Transaction(
        process: process, time: record.begin...record.end, outcome: record.outcome,
        version: record.version, isWait: record.isWait,
        operations: Array(operations[record.operations]))
    }
  }
}
