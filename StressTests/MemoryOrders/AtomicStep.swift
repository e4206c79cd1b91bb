/// The atomic operations of the library whose order matters, each with the order that it has.
enum AtomicStep: CaseIterable {
  // Readers and commits.
  case announce, confirm, withdraw, end
  case loadVersion, storeVersion
  case findStored, findComputed, publish, unpublish
  case check, advance
  // Released cells.
  case push, takeAll, schedule, endDrain
  // The members of scopes.
  case handOutSlot, countSlots, fillSlot, emptySlot, findFreeSlot, giveSlotBack
  // Closures that others may let go of.
  case takeContent, putBackContent, releaseContent
  // The end of a transaction.
  case close, askWhetherOpen
  // The buffer of a stream.
  case takeOut, putBack
  // Where a consumer waits.
  case begin, askWhetherWaiting, take, signal, takeSignal, cancel, afterWait

  /// The order of the operation.
  var order: WeakMemory.Order {
    switch self {
    case .withdraw, .unpublish, .askWhetherWaiting:
      .relaxed
    case .loadVersion, .findStored, .findComputed, .endDrain, .takeOut, .takeSignal, .cancel,
      .afterWait, .takeContent, .releaseContent, .askWhetherOpen, .takeAll, .handOutSlot,
      .findFreeSlot:
      .acquiring
    case .end, .storeVersion, .publish, .schedule, .putBack, .begin, .signal,
      .putBackContent, .close, .push, .countSlots, .giveSlotBack:
      .releasing
    case .take, .fillSlot, .emptySlot:
      .acquiringAndReleasing
    case .announce, .confirm, .check, .advance:
      .sequentiallyConsistent
    }
  }

  /// Where the operation is: files of the library, and the code up to the order.
  var sources: [(file: String, code: String)] {
    switch self {
    case .announce: [(Self.epochs, "counter.pointee.add(1, ordering: ")]
    case .confirm: [(Self.epochs, "if words[1].load(ordering: ")]
    case .withdraw:
      [(Self.epochs, "passes(.restartsReader) counter.pointee.subtract(1, ordering: ")]
    case .end: [(Self.epochs, "Atomic<UInt64>>) { counter.pointee.subtract(1, ordering: ")]
    case .loadVersion: [(Self.epochs, "words[0].load(ordering: ")]
    case .storeVersion: [(Self.epochs, "words[0].store(version, ordering: ")]
    case .findStored:
      [
        (Self.stored, "-> Value { var link = BoxLink(address: published.load(ordering: "),
        (
          Self.stored,
          "let version = readers.version var link = BoxLink(address: published.load(ordering: "
        ),
      ]
    case .findComputed:
      [(Self.computed, "-> Value? { let link = BoxLink(address: published.load(ordering: ")]
    case .publish:
      [
        (Self.stored, "published.store(link.address, ordering: "),
        (Self.computed, "published.store(BoxLink(box).address, ordering: "),
      ]
    case .unpublish: [("Nodes/ComputedCell", "published.store(BoxLink.none.address, ordering: ")]
    case .check: [(Self.epochs, "words[Self.stride * slot + parity].load(ordering: ")]
    case .advance: [(Self.epochs, "words[1].store(epoch &+ 1, ordering: ")]
    case .push: [(Self.stack, "desired: pushed, successOrdering: ")]
    case .takeAll: [(Self.stack, "top.exchange(0, ordering: ")]
    case .schedule: [("Actor/ReleaseList", "isDrainScheduled.exchange(true, ordering: ")]
    case .endDrain: [("Actor/ReleaseList", "isDrainScheduled.exchange(false, ordering: ")]
    case .handOutSlot: [(Self.members, "slotCount.add(1, ordering: ")]
    case .countSlots: [(Self.members, "slotCount.add(0, ordering: ")]
    case .fillSlot: [(Self.members, "member.exchange(address, ordering: ")]
    case .emptySlot: [(Self.members, "member.exchange(0, ordering: ")]
    case .findFreeSlot:
      [
        (Self.members, "var top = free.load(ordering: "),
        (Self.members, "successOrdering: .acquiring, failureOrdering: "),
      ]
    case .giveSlotBack:
      [(Self.members, "index: index + 1), successOrdering: ")]
    case .takeContent: [(Self.closure, "expected: address, desired: Self.inUse, ordering: ")]
    case .putBackContent: [(Self.closure, "expected: Self.inUse, desired: address, ordering: ")]
    case .releaseContent: [(Self.closure, "state.exchange(Self.gone, ordering: ")]
    case .close: [(Self.transaction, "openness.store(false, ordering: ")]
    case .askWhetherOpen: [(Self.transaction, "openness.load(ordering: ")]
    case .takeOut: [("Streams/SharedBuffer", "contentAddress.exchange(0, ordering: ")]
    case .putBack: [("Streams/SharedBuffer", "expected: 0, desired: address, ordering: ")]
    case .begin: [(Self.slot, "expected: State.idle, desired: State.waiting, ordering: ")]
    case .askWhetherWaiting: [(Self.slot, "var isWaiting: Bool { state.load(ordering: ")]
    case .take: [(Self.slot, "? State.waiting : next, ordering: ")]
    case .signal: [(Self.slot, "expected: State.idle, desired: State.signalled, ordering: ")]
    case .takeSignal:
      [(Self.slot, "(expected: State.signalled, desired: State.idle, ordering: ")]
    case .cancel: [(Self.slot, "state.exchange(State.cancelled, ordering: ")]
    case .afterWait: [(Self.slot, "_ = state.load(ordering: ")]
    }
  }

  private static let epochs = "Publication/ReaderEpochs"
  private static let stored = "Nodes/StoredCell+Publication"
  private static let computed = "Nodes/ComputedCell+Publication"
  private static let stack = "Actor/AtomicStack"
  private static let closure = "Tracking/Releasable"
  private static let members = "Tracking/MemberTable"
  private static let transaction = "Transactions/GraphTransaction"
  private static let slot = "Actor/WaitSlot"

  /// The next weaker orders, each of which is too weak.
  var weakerOrders: [WeakMemory.Order] {
    // It releases for the thread sanitizer, which does not see the runtime hand an element on.
    if self == .take { return [.releasing] }
    return switch order {
    case .relaxed: []
    case .acquiring, .releasing: [.relaxed]
    case .acquiringAndReleasing: [.acquiring, .releasing]
    case .sequentiallyConsistent: [.acquiringAndReleasing]
    }
  }
}

/// The orders of the operations in a model: those of the library, but for one at the most.
struct AtomicOrders {
  private let changed: AtomicStep?
  private let order: WeakMemory.Order

  /// The orders of the library.
  static let asBuilt = AtomicOrders(changed: nil, order: .relaxed)

  /// The orders of the library, but for one operation.
  static func changing(_ step: AtomicStep, to order: WeakMemory.Order) -> AtomicOrders {
    AtomicOrders(changed: step, order: order)
  }

  subscript(step: AtomicStep) -> WeakMemory.Order { step == changed ? order : step.order }
}
