/// Something in a history that no strictly serialisable store can have done.
///
/// Printing it gives the name, a drawing of the cycle or the pair that shows it, the operations
/// that justify each arrow, and the transactions:
///
/// ```text
/// G-single (one anti-dependency)
///   T1 --wr(x)--> T2 --rw(y)--> T1
///   T1 --wr(x)--> T2: T1 wrote x = 1; T2 read x = 1
///   T2 --rw(y)--> T1: T2 read y = 0; T1 wrote y = 1, which is later
///   T1: write x = 1, write y = 1
///   T2: read x = 1, read y = 0
/// ```
///
/// An arrow `T1 --ww(x)--> T2` says that T2 wrote a later value of x than T1, `wr` that T2 read the
/// value that T1 wrote, and `rw` that T2 wrote a later value than the one that T1 read.
public struct Anomaly: Error, Hashable, Sendable, CustomStringConvertible {
  /// What it is called.
  public let kind: Kind
  /// The transactions that show it, by number, in the order of the drawing; 1 stands for T1.
  public let transactions: [Int]
  /// The name, the drawing, and what justifies it.
  public let description: String

  /// A kind of anomaly.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    /// What messages call it.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }
  }
}

// MARK: - Within a transaction, and between a read and its writer

extension Anomaly.Kind {
  /// A transaction contradicts its own earlier read or write.
  public static let `internal` = Anomaly.Kind("internal (contradicts itself)")
  /// A transaction read what an aborted one wrote (Adya's G1a).
  public static let g1a = Anomaly.Kind("G1a (aborted read)")
  /// A transaction read what another one wrote and then replaced itself (Adya's G1b).
  public static let g1b = Anomaly.Kind("G1b (intermediate read)")
  /// A transaction read a value that nobody wrote.
  public static let unknownValue = Anomaly.Kind("unknown value")
  /// Two observations of a key fit no order of its values.
  public static let incompatibleOrder = Anomaly.Kind("incompatible order")
  /// The history itself is at fault, and what is concerned has not been checked.
  ///
  /// There are two writes of one value to one key, or a key is used both as a register and as a
  /// list.
  public static let malformed = Anomaly.Kind("malformed history")
}

// MARK: - Cycles

extension Anomaly.Kind {
  /// A cycle of writes (Adya's G0).
  public static let g0 = Anomaly.Kind("G0 (write cycle)")
  /// A cycle of writes and of reads from their writers (Adya's G1c).
  public static let g1c = Anomaly.Kind("G1c (circular information flow)")
  /// A cycle with one anti-dependency: a read of what another transaction replaced (Adya's
  /// G-single), for example a reader that saw one half of a commit.
  public static let gSingle = Anomaly.Kind("G-single (one anti-dependency)")
  /// Two transactions replaced one value of a key, each without the other's change: the
  /// G-single, or the pair of anti-dependencies, that has one key.
  public static let lostUpdate = Anomaly.Kind("lost update")
  /// A cycle with more anti-dependencies, for example write skew (Adya's G2-item).
  public static let g2Item = Anomaly.Kind("G2-item (several anti-dependencies)")
  /// A cycle that needs the order in which one process ran its transactions.
  public static let processOrder = Anomaly.Kind("process-order violation")
  /// A cycle that needs real time: what had ended before something else began is not first.
  public static let realTime = Anomaly.Kind("real-time violation")
}

// MARK: - Streams

extension Anomaly.Kind {
  /// A stream delivered a value that no commit made, delivered one twice, or left one out that it
  /// had to deliver.
  public static let brokenStream = Anomaly.Kind("broken stream")
  /// A stream delivered values in another order than that of the commits.
  public static let outOfOrderStream = Anomaly.Kind("out-of-order stream")
  /// A stream has ended or was drained, and its last element is not the key's last value.
  public static let missingLastElement = Anomaly.Kind("missing last element")
}
