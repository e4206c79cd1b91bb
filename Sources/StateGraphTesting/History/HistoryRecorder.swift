import Synchronization

/// Records what concurrent tasks do, to be checked afterwards.
///
/// Each task has a log of its own and writes down what it does there. When all tasks are done, the
/// logs are merged into a `History`.
///
/// ```swift
/// let recorder = HistoryRecorder()
/// let count = Stored(0)
/// await withTaskGroup { group in
///   for _ in 0..<4 {
///     let log = recorder.makeLog()
///     group.addTask {
///       for _ in 0..<1_000 {
///         await log.transaction {
///           await withGraphTransaction {
///             log.read("count", count.wrappedValue)
///             count.wrappedValue = log.write("count")
///           }
///         }
///       }
///     }
///   }
/// }
/// #expect(recorder.history().anomalies().isEmpty)
/// ```
///
/// Real time is a number that all logs of a recorder share and that grows with every begin and
/// every end. Taking the next number is the only thing that a log shares with others, and all the
/// synchronisation that recording adds:
///
/// - A begin takes it with acquiring, an end with releasing ordering; the delivery of a stream's
///   element is both. So what had ended before something else began, by these numbers, also happens
///   before it in the sense of the memory model, and the thread sanitizer sees no race between the
///   two. Two operations of which neither had ended before the other began are not ordered.
/// - The operations of a transaction are written to memory that belongs to the log. They take no
///   number and touch nothing that is shared, except that keys longer than 15 bytes and lists are
///   reference counted, and that a growing log allocates.
/// - `makeLog(expecting:)` and `history(initialValues:)` take a lock for a moment.
public final class HistoryRecorder: Sendable {
  /// The last number that was given out.
  private let clock = Atomic<UInt64>(0)
  /// The logs, in the order in which they were made.
  private let logs = Mutex<[HistoryLog]>([])

  /// Makes a recorder.
  public init() {}

  /// Makes a log for a task.
  ///
  /// - Parameter count: For how many operations the log has memory from the start.
  /// - Returns: The log; its process is one that no other log of the recorder has.
  public func makeLog(expecting count: Int = 256) -> HistoryLog {
    logs.withLock { logs in
      let log = HistoryLog(process: logs.count + 1, recorder: self, expecting: count)
      logs.append(log)
      return log
    }
  }

  /// Merges the logs.
  ///
  /// A transaction that has not been ended has an unknown outcome; one without operations that did
  /// not commit is left out.
  ///
  /// - Parameter initialValues: The first values of registers, where they are not 0.
  /// - Returns: The history, its transactions in the order of their begins.
  /// - Complexity: O(*n* log *n*) for *n* operations.
  /// - Precondition: The tasks have ended, or no longer use their logs, and the caller is
  ///   ordered after them, for example by having awaited their group.
  public func history(initialValues: [String: Int] = [:]) -> History {
    let logs = logs.withLock { $0 }
    return History(
      logs.flatMap { $0.transactions() }.sorted { $0.begin < $1.begin },
      streams: logs.flatMap { $0.streams() }.sorted { $0.begin < $1.begin },
      initialValues: initialValues)
  }

  /// The time of a begin: what the task does next comes after it.
  func timeOfBegin() -> UInt64 {
    clock.wrappingAdd(1, ordering: .acquiring).newValue
  }

  /// The time of an end: what the task did before comes before it.
  func timeOfEnd() -> UInt64 {
    clock.wrappingAdd(1, ordering: .releasing).newValue
  }

  /// The time of an end that is also the begin of what follows.
  func timeOfDelivery() -> UInt64 {
    clock.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }
}
