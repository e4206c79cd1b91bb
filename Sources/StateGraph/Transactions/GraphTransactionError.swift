/// Why a transaction was not committed although its body did not throw.
///
/// ```swift
/// do {
///   try await withGraphTransaction { … }
/// } catch GraphTransactionError.conflict {
///   …
/// }
/// ```
public struct GraphTransactionError: Error, Hashable, Sendable {
  /// What went wrong.
  public struct Code: Hashable, Sendable {
    private enum Value: Hashable {
      case conflict, waitInside, caughtWait, unsettled, outlived, timedOut
    }

    private let value: Value

    /// In every attempt, something that the body read was changed by others before it ended.
    public static var conflict: Code { Code(value: .conflict) }

    /// A condition that is not fulfilled was waited for inside the transaction.
    ///
    /// The body need not catch it: it is discarded, and runs again when something that it has read
    /// has changed.
    public static var waitInside: Code { Code(value: .waitInside) }

    /// The body has caught the error of a wait that was not fulfilled, and has returned.
    ///
    /// To do something else instead of waiting, wait in a savepoint: `withGraphSavepoint { }` undoes
    /// what came before the wait, and lets the error through.
    public static var caughtWait: Code { Code(value: .caughtWait) }

    /// The time was up before the transaction was committed.
    public static var timedOut: Code { Code(value: .timedOut) }

    /// An async node was awaited whose result depends on what the transaction has written.
    ///
    /// An async rule reads what is committed, so the result can be had only after the commit.
    public static var unsettled: Code { Code(value: .unsettled) }

    /// The body ran in a transaction that somebody else opened, and that ended before it.
    ///
    /// This takes a `Task { }` that the other body started and did not wait for. What this body had
    /// written by then went with that transaction; what it wrote afterwards was committed at once.
    public static var outlived: Code { Code(value: .outlived) }

    /// Whether an error has this code, for the patterns of `catch`.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? GraphTransactionError)?.code == code
    }
  }

  /// What went wrong.
  public let code: Code
  /// How often the body has run.
  public let attempts: Int
  /// The nodes that changed under the last attempt, or the async node that was awaited in vain.
  public let changedNodes: [GraphNodeID]

  /// The code of an error after the last attempt, for the patterns of `catch`.
  public static var conflict: Code { .conflict }
  /// The code of an error that asks for the body to run again, for the patterns of `catch`.
  public static var waitInside: Code { .waitInside }
  /// The code of an error after a wait that was caught, for the patterns of `catch`.
  public static var caughtWait: Code { .caughtWait }
  /// The code of an error after the time was up, for the patterns of `catch`.
  public static var timedOut: Code { .timedOut }
  /// The code of an error after a wait for an async node, for the patterns of `catch`.
  public static var unsettled: Code { .unsettled }
  /// The code of an error after a transaction that was joined has ended, for the patterns of `catch`.
  public static var outlived: Code { .outlived }
}

extension GraphTransactionError: CustomStringConvertible {
  /// What went wrong, with the names of the nodes.
  public var description: String {
    switch code {
    case .conflict:
      let names = changedNodes.map(\.description).sorted().joined(separator: ", ")
      return "StateGraph: the transaction was given up after \(attempts) attempts; "
        + "others changed what it had read: \(names)"
    case .caughtWait:
      return "StateGraph: the body has caught the error of a wait that was not fulfilled; "
        + "wait in withGraphSavepoint { } to do something else instead"
    case .timedOut:
      return "StateGraph: the transaction was not committed in time, after \(attempts) attempts"
    case .unsettled:
      let names = changedNodes.map(\.description).joined(separator: ", ")
      return
        "StateGraph: the transaction waits for \(names), whose result depends on what it writes"
    case .outlived:
      return "StateGraph: the transaction that the body had joined ended before the body; "
        + "start such a body with Task.detached"
    default:
      return "StateGraph: the transaction waits for a change of what it has read"
    }
  }
}
