/// Every way that a read, a write, a delivery or a release can take through the library.
///
/// Each is counted, in debug builds, where it is taken. The stress suite takes all of them and fails
/// if one was not.
@usableFromInline
package enum PropagationPath: Int, CaseIterable, Sendable {
  // MARK: - Writes and commits

  /// A write is equal to the committed value: no commit.
  case cutOffAtSource
  /// An assignment outside of a transaction is a commit of its own.
  case commitsAssignment
  /// A transaction commits one write.
  case commitsOneWrite
  /// A transaction commits several writes as one version.
  case commitsManyWrites
  /// The result of an async rule is committed.
  case commitsAsyncResult
  /// A transaction ends without a change: no commit.
  case commitsNothing
  /// A delivery of a commit writes: a following commit.
  case commitsFromDelivery
  /// A delivery runs in the task of a transaction or an async rule, outside of either.
  case deliversForNobody
  /// A commit leaves its deliveries to the loop further up the call stack.
  case flushesLater

  // MARK: - Marks

  /// A write marks a direct dependent dirty.
  case marksDirty
  /// A write marks a further dependent pending.
  case marksPending
  /// A path forks: one list of dependents waits while another is walked.
  case marksFork
  /// A write finds that all direct dependents are dirty already.
  case meetsSpread
  /// A mark meets a node that is dirty already.
  case meetsDirty
  /// A mark meets a node that is pending already: a diamond, or an earlier write.
  case meetsPending
  /// A mark meets a pending node as a direct dependent.
  case pendingBecomesDirty
  /// A mark queues a watcher that only reads.
  case queuesWatcher
  /// A mark queues a group or a map.
  case queuesReaction
  /// A mark reaches the watcher whose own writes cause it: it is not queued.
  case marksRunningWatcher
  /// A watcher was removed while it was queued.
  case skipsRemovedWatcher
  /// A watcher has to look again although nothing it reads was committed.
  case invalidatesWatcher
  /// A derived node has to look again although nothing it reads was committed.
  case invalidatesDerived
  /// A mark takes a published computed value away from readers.
  case unpublishesMarked

  // MARK: - Reads and runs

  /// A rule or an expression reads a computed node that is up to date.
  case readsCurrent
  /// A read finds a dirty node and runs its rule.
  case readsDirty
  /// A read finds a pending node and checks what it depends on.
  case readsPending
  /// A running rule reads a stale node: a run inside the run.
  case runsNested
  /// A rule returns a new value.
  case changesComputed
  /// A rule returns what counts as the value before.
  case cutsOffAtComputed
  /// A new value makes a pending dependent dirty.
  case promotesDependent
  /// A check descends to a dependency that is not current.
  case checksUpstream
  /// A pending node turns out clean without a run.
  case verifiesClean
  /// A check stops at the first dependency that has changed.
  case stopsAtChange
  /// A watcher finds that something it reads has changed.
  case wakesWatcher
  /// A watcher was marked, and finds that nothing it reads has changed.
  case sparesWatcher
  /// A run reads the same node at the same place as the run before.
  case keepsDependency
  /// A run reads a node that the run before did not read there.
  case addsDependency
  /// A run reads a node at another place than the run before.
  case movesDependency
  /// A run does not read a node that the run before read.
  case dropsDependency
  /// A run reads a node again.
  case readsTwice
  /// An inner run has read what the outer one had read: the outer one still knows.
  case restoresStamp
  /// A body reads without depending on what it reads.
  case suspendsTracking
  /// A mark reaches a running watcher by an edge that its run has not used yet.
  case marksUnread
  /// A running watcher has read a node, and writes one upstream that it has made itself.
  case writesMadeNode
  /// What a running watcher has changed by nodes that it has made is looked at before others write.
  case absorbsOwnChanges
  /// A watcher has read in a transaction what the commit makes of a computed node.
  case absorbsSeen
  /// The run of a watcher ends, and what it has read has been written meanwhile.
  case hearsNews
  /// A watcher's writes to what it has read are no news to it.
  case absorbsOwnWrites
  /// A watcher's writes have reached a computed node that it has read.
  case findsOwnWritesDownstream
  /// A node depends on another one without a run: an async rule, or a wait.
  case addsLateDependency
  /// An async rule reads again what its run depends on already.
  case knowsLateDependency

  // MARK: - Nodes and their release

  /// The actor meets a node for the first time.
  case registersNode
  /// A release starts the task that removes released nodes.
  case schedulesRemoval
  /// A release finds that task on its way.
  case joinsScheduledRemoval
  /// Code that comes from outside removes what has been released, before its step.
  case removesOnArrival
  /// Released nodes are taken out in the middle of a step; what follows has to wait for its end.
  case unlinksInStep
  /// So much has been released that the rest is removed in a later visit.
  case pausesRemoval
  /// The task removes what has been released.
  case removesInTask
  /// Released nodes have to wait, because the actor is in the middle of something.
  case postponesRemoval
  /// A removal has released more nodes, or was overtaken by a release.
  case removesAgain
  /// A node is removed; its dependents become dirty.
  case removesUnmarked
  /// A node is removed while it is marked.
  case removesMarked
  /// A node that a rule made for itself is removed without news to that rule.
  case removesTemporary
  /// A dependent inherits what a removed temporary has read.
  case bequeathsDependency
  /// A stream takes the last value of a node that is about to go.
  case takesLastValue

  // MARK: - Transactions

  /// A transaction writes a node for the first time.
  case stagesFirst
  /// A transaction writes a node again.
  case stagesAgain
  /// A transaction reads what it has written.
  case readsOwnWrite
  /// An open transaction reads a value that has been replaced since it began.
  case readsReplaced
  /// A transaction reads a stored node that it has not written.
  case readsCommitted
  /// A commit keeps a replaced value for an open transaction.
  case keepsReplaced
  /// A commit replaces a value that no open transaction can see.
  case dropsReplaced
  /// A transaction ends, and an older one still needs a value that it kept.
  case handsReplacedOn
  /// A transaction ends, and nobody needs a value that it kept.
  case letsReplacedGo
  /// A computed node in a transaction is served from the cache: no staged write reaches it.
  case servesStagedFromCache
  /// A computed node in a transaction is served from the memo of an earlier read.
  case servesStagedFromMemo
  /// A computed node in a transaction is checked, and its cached value holds.
  case verifiesStaged
  /// A rule runs against staged values.
  case runsStaged
  /// A staged write ends what a transaction has found out about computed nodes.
  case forgetsMemos
  /// A commit, a run or a removal makes a transaction check again which cached values hold.
  case forgetsVerified
  /// A run for the committed graph, or a removal, makes a transaction look again what its writes reach.
  case forgetsReach
  /// A nested synchronous transaction joins.
  case joinsTransaction
  /// A nested async transaction joins.
  case joinsAsyncTransaction
  /// A nested async body returns when the transaction it has joined is over.
  case outlivesTransaction
  /// An error discards a transaction.
  case rollsBackOnError
  /// A conflict discards an attempt.
  case rollsBackOnConflict
  /// The body runs again after a conflict.
  case retriesAfterConflict
  /// The last attempt has met a conflict.
  case usesUpAttempts
  /// A transaction that has met a conflict claims nodes.
  case claimsNodes
  /// A transaction that has met a conflict waits until an older one is through.
  case waitsForClaim
  /// A transaction waits before its commit until one is through that goes first on a node that it writes.
  case waitsToCommit
  /// A transaction has waited long enough for one and the same attempt of another.
  case losesPatience
  /// A transaction is through: one that has let it go first goes on.
  case endsClaim
  /// The closures of `atCommit` are called.
  case callsAtCommit
  /// A savepoint begins.
  case opensSavepoint
  /// A savepoint is undone.
  case undoesSavepoint
  /// A body returns that has caught the error of a wait.
  case findsCaughtWait
  /// A transaction waits for an async node that it has made.
  case awaitsMadeAsync
  /// A wait inside a transaction is not fulfilled: the attempt is discarded.
  case waitsInside
  /// Something that a waiting transaction has read changed before it began to wait.
  case missesNoChangeBeforeWait
  /// Something that a waiting transaction has read changes: it runs again.
  case wakesFromWait
  /// A task that carries a transaction which is over acts outside.
  case actsAfterEnd
  /// A watcher that saw staged values looks again after the transaction.
  case makesFollowersLook

  // MARK: - Groups, maps and settling

  /// A group or a map is postponed to a visit of its own.
  case postponesReaction
  /// A commit concerns a reaction that waits already.
  case isPostponedAlready
  /// A postponed reaction comes up.
  case runsPostponed
  /// A reaction runs inside of the commit.
  case reactsImmediately
  /// A reaction comes up, and nothing it has read has changed.
  case sparesReaction
  /// A reaction runs, for the first time or again.
  case runsReaction
  /// The reaction that a reaction is nested in comes before it.
  case runsOuterFirst
  /// An immediate reaction waits for the postponed one that it is nested in.
  case waitsForOuter
  /// What a reaction is nested in is concerned by a cleanup that the reaction's new run has called.
  case waitsForOuterAgain
  /// A cleanup concerns the reaction that is about to run after it.
  case isAboutToRun
  /// A reaction comes up that has been cancelled meanwhile.
  case meetsCancelled
  /// A new run ends what the run before has made.
  case endsNested
  /// A cleanup is called before the next run.
  case cleansUp
  /// The cleanups of a reaction that has ended are called.
  case cleansUpAtEnd
  /// A reaction has changed a computed node that it has read, and runs again.
  case noticesOwnWrites
  /// A member of a scope ends before it.
  case leavesScope
  /// Something is added to a scope that has been cancelled.
  case endsLateMember
  /// A closure is released while it runs: it goes when it returns.
  case releasesInUse
  /// A handler of assignments is not told of an equal one that it has caused itself.
  case sparesHandler
  /// A map calls its handler on the actor.
  case deliversHere
  /// A map calls its handler on another actor.
  case deliversElsewhere
  /// The filter of a map lets a value not through.
  case filtersValue
  /// The object of a map is gone.
  case endsWithObject
  /// Nothing is to be delivered: whoever settles goes on.
  case settlesAtOnce
  /// Whoever settles waits for deliveries.
  case settlesLater
  /// The last delivery ends the wait of whoever settles.
  case wakesSettling

  // MARK: - Publication

  /// A reader outside finds a stored node that has never been written.
  case readsFirstValue
  /// A reader outside finds the box of its version.
  case readsBox
  /// A reader outside finds a newer box and steps back.
  case stepsBack
  /// A reader outside finds a published computed value.
  case hitsPublished
  /// A reader outside finds a computed node that is not published.
  case missesUnpublished
  /// A reader outside finds a computed value that is newer than its version.
  case missesNewer
  /// A visit publishes the computed value that it has read.
  case publishesOnVisit
  /// A run publishes its result, because somebody reads it synchronously.
  case publishesOnRun
  /// A node that is read synchronously for the first time is published soon.
  case publishesLate
  /// All values of a snapshot are published.
  case readsSnapshot
  /// A snapshot needs the actor.
  case visitsForSnapshot
  /// A reader lets others have its thread.
  case yieldsReader
  /// A reader is overtaken by an advance of the epoch and begins anew.
  case restartsReader
  /// The epoch advances.
  case advancesEpoch
  /// A reader holds up the epoch.
  case holdsEpoch
  /// A write uses a replaced box again.
  case reusesBox
  /// A write needs a new box.
  case allocatesBox
  /// A node of plain data has a box too many, and gives one up.
  case trimsRing
  /// A replaced box waits until nobody can be reading it.
  case retiresBox
  /// A commit frees all that has been replaced.
  case freesAtOnce
  /// A reader keeps a commit from freeing: a task will.
  case freesLater
  /// The task has freed what was left.
  case freesInTask
  /// An update changes a copy, which is assigned.
  case updatesCopy
  /// An update changes the value of the node in place.
  case updatesInPlace
  /// An update in a transaction changes the staged value in place.
  case updatesStaged
  /// A modification that tells nobody changes a copy.
  case modifiesCopy
  /// A modification that tells nobody changes the value in place.
  case modifiesInPlace

  // MARK: - Streams and waiting

  /// A stream takes its first element and subscribes, in one step.
  case startsStream
  /// A stream begins after its node has gone.
  case findsNodeGone
  /// A consumer that was busy takes a buffered change, without the actor.
  case takesBuffered
  /// A consumer takes a buffered change on a visit of the actor, or the last value of its node.
  case takesBufferedOnActor
  /// The actor and a consumer were at a buffer at the same time, and join what they have.
  case joinsBuffers
  /// A consumer that was busy takes the latest value of a stored node without the actor.
  case takesPublished
  /// A consumer asks for what it has taken already, without the actor.
  case sparesTaken
  /// A consumer that was busy takes the latest value.
  case takesLatest
  /// A consumer finds nothing and waits.
  case mustWait
  /// A commit hands an element to a waiting consumer.
  case resumesConsumer
  /// A waiting consumer is told to ask the actor.
  case signalsConsumer
  /// A consumer that is busy is told to ask when it comes back.
  case signalsBusyConsumer
  /// A consumer that is about to wait finds a signal.
  case findsSignal
  /// A consumer that asks has been signalled.
  case clearsSignal
  /// A consumer of the latest value is busy: commits pass by.
  case conflates
  /// A commit leaves an evaluation that takes long to the consumer of a stream.
  case leavesToFollower
  /// A consumer waits because the evaluation before took long.
  case pausesFollower
  /// A stream was told, and the value is what it delivered last.
  case sparesStream
  /// A bounded buffer drops its oldest change.
  case dropsOldest
  /// A bounded buffer drops what finds no room.
  case dropsNewest
  /// A consumer that is about to wait has been cancelled.
  case findsCancelled
  /// A cancellation ends a wait.
  case cancelsWait
  /// A stream ends because its node has gone.
  case endsStream
  /// The actor takes in a new stream of commits.
  case admitsCommitStream
  /// A commit is handed to a waiting consumer of commits.
  case announcesCommit
  /// A commit is kept for a consumer of commits that is busy.
  case buffersCommit
  /// A tracked expression has an element.
  case tracksElement
  /// A tracked expression ends its sequence.
  case finishesTracking
  /// A tracked expression throws.
  case throwsInTracking
  /// A condition that is waited for holds already.
  case fulfilsWaitAtOnce
  /// A commit makes a condition true that is waited for.
  case fulfilsWait
  /// A condition becomes true while whoever waits for it is not yet waiting.
  case keepsWaitResult

  // MARK: - Cycles that have fallbacks

  /// A member of a cycle has its fallback, because it is needed in the middle of its own run.
  case meetsCycle
  /// A member of a cycle has its fallback, because what it has read leads to a node that waits for it.
  case findsCycle
  /// A member of a cycle without a fallback is derived once more for those who wait for it.
  case derivesProvisionally

  // MARK: - Async nodes

  /// An async rule begins to run.
  case startsAsyncRun
  /// Something that an async run has read has changed: the run is over.
  case supersedesAsyncRun
  /// Nobody wants the result of an async run any more.
  case stopsAsyncRun
  /// A superseded run is followed by the next at once, for one who is busy.
  case restartsAsyncRun
  /// A run that is over returns: its result is dropped.
  case dropsAsyncResult
  /// An async run returns a new value.
  case succeedsChanged
  /// An async run returns what counts as the value before.
  case succeedsEqual
  /// An async run throws.
  case failsAsync
  /// A failed attempt of an async rule is followed by another one.
  case retriesAsync
  /// An attempt of an async rule takes longer than it may.
  case limitsAsyncRun
  /// The result of an async rule is made stale on demand, or because its time is up.
  case refreshesAsync
  /// The time of an async result is up.
  case becomesStale
  /// An async rule runs again although nothing has changed, and what it has read is forgotten.
  case dropsAsyncReads
  /// An async rule waits for another async node.
  case awaitsAsyncNode
  /// An async node is pending because one that it has awaited is.
  case isPendingWithOther
  /// Whoever waits for an async node finds it settled.
  case settlesAsyncAtOnce
  /// A commit settles an async node that somebody waits for.
  case settlesAsync
  /// A transaction finds an async node settled.
  case readsSettledInTransaction
  /// A transaction's own writes make an async node pending.
  case isUnsettledInTransaction
  /// An async rule inherits what a node has read that it made for itself.
  case bequeathsToAsyncRun
}
