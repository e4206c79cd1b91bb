#if STATEGRAPH_MUTANTS
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif
#endif

/// A fault in a single step, for the check that the stress suite notices it.
///
/// A build with the compilation condition `STATEGRAPH_MUTANTS` makes the one that the environment
/// variable `STATEGRAPH_MUTANT` names; others make none. `.ci/mutants` tries them all.
@usableFromInline
package enum Mutant: String, CaseIterable, Sendable {
  // MARK: - Marks and runs

  /// A write does not mark the last of several direct dependents.
  case forgetsLastDependent
  /// A write marks direct dependents only.
  case forgetsPending
  /// A new value does not make pending dependents dirty.
  case skipsPromotion
  /// A run keeps edges to what it has not read.
  case keepsStaleEdges
  /// A new value counts as the one before.
  case missesChange
  /// A computed value counts as changed after each run.
  case missesCutoff
  /// A result that counts as equal replaces the one before.
  case replacesEqual
  /// An outer run forgets what an inner one has read, too.
  case skipsRestoringStamps
  /// The check of a pending node looks at its last dependency only.
  case checksLastOnly
  /// A removed temporary leaves what it has read to nobody.
  case skipsBequest
  /// A temporary that is marked when it goes leaves what it has read instead of telling its rule.
  case bequeathsMarked
  /// What a removal causes comes in the middle of a step.
  case drainsInStep
  /// The task that removes released nodes does not look for late ones.
  case skipsLateReleases

  /// A member of a cycle is one only if it is met in the middle of its own run.
  case missesCycle
  /// A member of a cycle does not run when the cycle may have been broken.
  case keepsFallback
  /// A visit removes everything that has been released.
  case removesAtOnce

  // MARK: - Transactions

  /// A commit does not ask whether what it has read has changed.
  case skipsValidation
  /// A transaction commits a node on which another one goes first.
  case ignoresClaims
  /// A savepoint that has thrown keeps what it has staged.
  case keepsUndone
  /// One node of a commit gets its value after the version has been published.
  case installsOneLate
  /// A transaction that is discarded commits its writes.
  case commitsOnRollback
  /// A task writes into a transaction that is over.
  case writesAfterEnd
  /// Values that open transactions may need are not kept.
  case dropsReplacedValues
  /// What was found out about computed nodes survives a staged write.
  case keepsMemos
  /// What staged writes reach is not looked for again when the graph has got new edges.
  case keepsReach
  /// A transaction loses a staged write when another one stages the same node.
  case losesStagedIndex
  /// A watcher that saw staged values does not look again after a rollback.
  case forgetsFollowers

  // MARK: - Publication

  /// A marked computed node stays published.
  case leavesMarkedPublished
  /// A version is published before the nodes that it has marked are taken away.
  case publishesVersionEarly
  /// A reader takes the newest box, whatever its version.
  case servesNewestBox
  /// A box counts as free one epoch early.
  case reclaimsEarly
  /// A replaced box is used again at once.
  case reusesUnasked
  /// The epoch advances beside its readers.
  case advancesUnchecked
  /// An update changes a value in place that an open transaction can still read.
  case updatesNeeded
  /// An update in place marks what depends on the node when its body has returned only.
  case marksUpdateLate
  /// An update of a staged value that throws leaves what it has changed.
  case keepsThrownUpdate
  /// A snapshot lets removals in.
  case removesInSnapshot

  // MARK: - Streams and waiting

  /// A waiting consumer is resumed, and still counts as waiting.
  case resumesTwice
  /// A waiting consumer is not told.
  case neverResumes
  /// A cancellation does not end the wait.
  case ignoresCancellation
  /// A consumer forgets a signal after it has asked, instead of before.
  case losesSignal
  /// A stream ends without the last value of its node.
  case losesLastValue
  /// A bounded buffer does not tell how many changes it has dropped.
  case losesDropCount
  /// A stream that was left stays in the graph.
  case keepsSubscription
  /// A stream that begins in a transaction follows a node that is out of date.
  case followsStale
  /// A condition that throws at a commit does not end the wait.
  case losesConditionError

  // MARK: - Groups, maps and settling

  /// A postponed reaction does not run.
  case skipsPostponed
  /// A new run does not end what the run before has made.
  case keepsNested
  /// A reaction runs before those that it is nested in.
  case runsInnerFirst
  /// A reaction is not told what its own writes have changed downstream.
  case missesOwnWrites
  /// Whoever settles does not wait.
  case settlesEarly

  // MARK: - Async nodes

  /// The task of a superseded run is not cancelled.
  case keepsSupersededRun
  /// A refreshed node still depends on what the run before has read.
  case keepsFormerReads
  /// The result of a superseded run is published.
  case publishesSuperseded
  /// An async run does not depend on what it reads.
  case missesAsyncReads
  /// What an async run has read is checked the last first.
  case readsBackwards
}

#if STATEGRAPH_MUTANTS
  extension Mutant {
    /// The fault that this process makes, if any.
    @usableFromInline package static let active: Mutant? = {
      // SAFETY: Read once; the library never changes the environment.
      getenv("STATEGRAPH_MUTANT").flatMap { Mutant(rawValue: String(cString: $0)) }
    }()
  }
#endif

/// Whether a step is to be done wrongly; always false without `STATEGRAPH_MUTANTS`.
@inlinable
@inline(__always)
func isMutated(_ mutant: Mutant) -> Bool {
  #if STATEGRAPH_MUTANTS
    Mutant.active == mutant
  #else
    false
  #endif
}
