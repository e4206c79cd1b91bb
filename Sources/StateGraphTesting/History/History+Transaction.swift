extension History {
  /// A transaction: operations that take effect together, or not at all.
  public struct Transaction: Hashable, Sendable {
    /// The process that ran it: a number for whatever does one thing after the other; nil if that
    /// is not known.
    public var process: Int?
    /// When it began, in any unit; 0 if that is not known.
    public var begin: UInt64
    /// When it had ended, in the same unit; `UInt64.max` if that is not known.
    public var end: UInt64
    /// How it ended.
    public var outcome: Outcome
    /// The version that its commit made, or, if it wrote nothing, the version that it read.
    public var version: UInt64?
    /// Whether it was a wait for a condition.
    public var isWait: Bool
    /// What it did, in order.
    public var operations: [Operation]

    /// Makes a transaction.
    ///
    /// - Parameters:
    ///   - process: The process that ran it.
    ///   - time: When it began and when it had ended, in any unit; only the order matters.
    ///   - outcome: How it ended.
    ///   - version: The version that its commit made, or, if it wrote nothing, that it read.
    ///   - isWait: Whether it was a wait for a condition.
    ///   - operations: What it did, in order.
    public init(
      process: Int? = nil, time: ClosedRange<UInt64>? = nil, outcome: Outcome = .committed,
      version: UInt64? = nil, isWait: Bool = false, _ operations: Operation...
    ) {
      self.init(
        process: process, time: time, outcome: outcome, version: version, isWait: isWait,
        operations: operations)
    }

    /// Makes a transaction.
    ///
    /// - Parameters:
    ///   - process: The process that ran it.
    ///   - time: When it began and when it had ended, in any unit; only the order matters.
    ///   - outcome: How it ended.
    ///   - version: The version that its commit made, or, if it wrote nothing, that it read.
    ///   - isWait: Whether it was a wait for a condition.
    ///   - operations: What it did, in order.
    public init(
      process: Int? = nil, time: ClosedRange<UInt64>? = nil, outcome: Outcome = .committed,
      version: UInt64? = nil, isWait: Bool = false, operations: [Operation]
    ) {
      self.process = process
      begin = time?.lowerBound ?? 0
      end = time?.upperBound ?? .max
      self.outcome = outcome
      self.version = version
      self.isWait = isWait
      self.operations = operations
    }
  }

  /// How a transaction ended.
  public enum Outcome: Hashable, Sendable {
    /// Its writes took effect.
    case committed
    /// Its writes were discarded.
    case aborted
    /// Nobody knows; its writes took effect if somebody has seen one of them.
    case unknown
  }

  /// What a key held.
  public enum Value: Hashable, Sendable {
    /// The value of a register.
    case register(Int)
    /// The elements of a list.
    case list([Int])
  }

  /// A step of a transaction.
  public struct Operation: Hashable, Sendable {
    /// What a step can do.
    public enum Action: Hashable, Sendable {
      /// Sees the value of a key.
      case read
      /// Replaces the value of a register.
      case write
      /// Adds an element to the end of a list.
      case append
    }

    /// What the step did.
    public let action: Action
    /// The key that was read or written.
    public let key: String
    /// What was seen, written, or appended.
    public let value: Value
    /// A version at which the key had the value that was read, if that is known.
    public let version: UInt64?

    /// A read of a register.
    public static func read(_ key: String, _ value: Int, version: UInt64? = nil) -> Operation {
      Operation(action: .read, key: key, value: .register(value), version: version)
    }

    /// A read of a list.
    public static func read(_ key: String, _ list: [Int], version: UInt64? = nil) -> Operation {
      Operation(action: .read, key: key, value: .list(list), version: version)
    }

    /// A write of a register; each write to a key writes another value.
    public static func write(_ key: String, _ value: Int) -> Operation {
      Operation(action: .write, key: key, value: .register(value), version: nil)
    }

    /// An append to a list; each append to a key appends another value.
    public static func append(_ key: String, _ value: Int) -> Operation {
      Operation(action: .append, key: key, value: .register(value), version: nil)
    }
  }
}
