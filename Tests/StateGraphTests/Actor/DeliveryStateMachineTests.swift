import StateGraph
import Testing

private typealias Machine = DeliveryStateMachine<Int>

/// What the machine answers in each state, without a graph.
@Suite struct DeliveryStateMachineTests {
  /// What can happen to deliveries.
  enum Event: String, CaseIterable, Codable, Sendable {
    case watchersMarked, informed, informedInRun, informedInBan, reacted
    case visitBegan, nextOfVisit, visited, visitEnds, nextOfRemoval
  }

  /// What the machine says, and the state after it.
  struct Answer: Equatable, CustomStringConvertible {
    let action: String
    let state: DeliveryStateMachine<Int>.State

    var description: String { "\(action), \(state)" }
  }

  /// The whole table: what is missing ends the process.
  nonisolated static let table: [DeliveryStateMachine<Int>.State: [Event: Answer]] = [
    .idle: [
      .watchersMarked: Answer(action: "inform", state: .informing),
      .visitBegan: Answer(action: "done", state: .idle),
      .nextOfRemoval: Answer(action: "finish", state: .idle),
    ],
    .informing: [
      .watchersMarked: Answer(action: "leave", state: .informing),
      .informed: Answer(action: "react", state: .reacting),
      .informedInRun: Answer(action: "leave", state: .idle),
      .informedInBan: Answer(action: "leave", state: .idle),
    ],
    .reacting: [
      .watchersMarked: Answer(action: "inform", state: .informingOfReaction),
      .reacted: Answer(action: "done", state: .idle),
    ],
    .informingOfReaction: [
      .watchersMarked: Answer(action: "leave", state: .informingOfReaction),
      .informed: Answer(action: "leave", state: .reacting),
      .informedInRun: Answer(action: "leave", state: .reacting),
      .informedInBan: Answer(action: "leave", state: .reacting),
    ],
  ]

  /// The events that end the process, by state.
  nonisolated static let failures: [(UInt8, Event)] = DeliveryStateMachine<Int>.State.allCases
    .flatMap { state in
      Event.allCases.filter { table[state]?[$0] == nil }.map { (state.rawValue, $0) }
    }

  @Test(arguments: table.keys)
  func `the machine says what the table says`(state: DeliveryStateMachine<Int>.State) throws {
    for (event, answer) in try #require(Self.table[state]) {
      var machine = Self.machine(in: state)
      let action = Self.send(event, to: &machine)
      let next = machine.state
      #expect(Answer(action: action, state: next) == answer, "\(event) in \(state)")
    }
  }

  @Test(arguments: failures)
  func `an event that cannot occur names itself and the state`(
    rawState: UInt8, event: Event
  ) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [rawState, event] in
      let state = try #require(DeliveryStateMachine<Int>.State(rawValue: rawState))
      var machine = Self.machine(in: state)
      print(Self.send(event, to: &machine))
    }
    let state = try #require(DeliveryStateMachine<Int>.State(rawValue: rawState))
    let name = event.rawValue.hasPrefix("informed") ? "informed" : event.rawValue
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("StateGraph: \(name) while \(state)"))
  }

  @Test func `nodes are unlinked in a step only if nothing relies on them`() {
    for state in DeliveryStateMachine<Int>.State.allCases {
      for isBusy in [false, true] {
        var machine = Self.machine(in: state)
        var actions = [machine.released(isBusy: isBusy)]
        let outer = machine.beginKeepingNodes()
        actions.append(machine.released(isBusy: isBusy))
        let inner = machine.beginBan(.modifying(Self.origin))
        actions.append(machine.released(isBusy: isBusy))
        machine.endRestriction(to: inner)
        actions.append(machine.released(isBusy: isBusy))
        machine.endRestriction(to: outer)
        actions.append(machine.released(isBusy: isBusy))
        let free: DeliveryStateMachine<Int>.ReleasedAction =
          state == .idle && !isBusy ? .unlink : .wait
        #expect(actions == [free, .wait, .wait, .wait, free])
      }
    }
  }

  @Test func `a ban within a ban ends with the outer one left`() {
    var machine = Machine()
    var areBanned = [machine.writeBan != nil]
    let none = machine.beginBan(.modifying(Self.origin))
    let keeping = machine.beginKeepingNodes()
    areBanned.append(machine.writeBan != nil)
    machine.endRestriction(to: keeping)
    areBanned.append(machine.writeBan != nil)
    machine.endRestriction(to: none)
    areBanned.append(machine.writeBan != nil)
    #expect(areBanned == [false, true, true, false])
  }

  @Test func `a visit takes reactions in order and begins once`() {
    var machine = Machine()
    var actions = [machine.postpone(1), machine.postpone(2)]
    var order: [Int] = []
    var areDelivering: [Bool] = []
    machine.visitBegan()
    while let (member, generation) = machine.nextOfVisit() {
      order.append(member)
      areDelivering.append(machine.isDelivering)
      // The visit takes it along.
      if member == 1 { actions.append(machine.postpone(3)) }
      machine.visited(generation)
      areDelivering.append(machine.isDelivering)
    }
    actions.append(machine.postpone(4))
    var ends = [machine.visitEnds()]
    if let (member, generation) = machine.nextOfVisit() {
      order.append(member)
      machine.visited(generation)
    }
    ends.append(machine.visitEnds())
    #expect(ends == [false, true], "What follows is a part of the visit.")
    #expect(order == [1, 2, 3, 4])
    actions.append(machine.postpone(5))
    #expect(areDelivering == [true, false, true, false, true, false])
    #expect(actions == [.startVisit, .wait, .wait, .wait, .startVisit])
  }

  @Test func `one word says whether anything is unusual`() {
    var machine = Machine()
    var words = [machine.unusual]
    let outer = machine.beginKeepingNodes()
    let inner = machine.beginBan(.modifying(Self.origin))
    words.append(machine.unusual)
    machine.endRestriction(to: inner)
    words.append(machine.unusual)
    machine.endRestriction(to: outer)
    words.append(machine.unusual)
    #expect(words.map(\.isEmpty) == [true, false, false, true])
  }

  @Test func `what is released meanwhile goes before what is left of a removal`() {
    var machine = Machine()
    machine.unlinked(1)
    machine.unlinked(2)
    machine.hold(10)
    machine.hold(11)
    machine.reactionEnded(20)
    machine.mayBeAbandoned(30)
    var areComplete = [machine.removals.areComplete]
    let count = machine.removals.count
    var actions: [String] = []
    _ = machine.beginRemoval(portion: 100)
    var released = [false, true, false].makeIterator()
    while true {
      let action = machine.nextOfRemoval(hasReleased: released.next() ?? false)
      actions.append("\(action)")
      if case .unlink = action { machine.unlinked(3) }
      if case .finish = action { break }
    }
    #expect(
      actions == [
        "letGo(1)", "unlink", "letGo(2)", "letGo(3)", "queue([10, 11])", "cleanUp(20)",
        "stop(30)", "deliver", "finish",
      ])
    areComplete.append(machine.removals.areComplete)
    #expect(areComplete == [false, true])
    #expect(count == 2)
  }

  @Test func `a removal pauses when its portion is used up, after what is to be told`() {
    var machine = Machine()
    for member in 1...3 { machine.unlinked(member) }
    var begun = [machine.beginRemoval(portion: 2)]
    // A removal within it, caused by the end of a member, is part of it.
    begun.append(machine.beginRemoval(portion: 2))
    #expect(begun == [true, false])
    var actions: [String] = []
    for _ in 0..<4 { actions.append("\(machine.nextOfRemoval(hasReleased: false))") }
    machine.endRemoval()
    var areComplete = [machine.removals.areComplete]
    begun.append(machine.beginRemoval(portion: 2))
    for _ in 0..<2 { actions.append("\(machine.nextOfRemoval(hasReleased: false))") }
    machine.endRemoval()
    areComplete.append(machine.removals.areComplete)
    #expect(
      actions == ["letGo(1)", "letGo(2)", "deliver", "pause", "letGo(3)", "finish"])
    #expect(begun == [true, false, true] && areComplete == [false, true])
  }

  // MARK: - Helpers

  private nonisolated static let origin = NodeOrigin(name: "a", fileID: "", line: 0)

  private static func machine(
    in state: DeliveryStateMachine<Int>.State
  ) -> DeliveryStateMachine<Int> {
    var machine = Machine()
    _ = machine.postpone(1)
    if state == .idle { return machine }
    _ = machine.watchersMarked()
    if state == .informing { return machine }
    _ = machine.informed(isRunning: false)
    if state == .reacting { return machine }
    _ = machine.watchersMarked()
    return machine
  }

  private static func send(_ event: Event, to machine: inout DeliveryStateMachine<Int>) -> String {
    switch event {
    case .watchersMarked: return "\(machine.watchersMarked())"
    case .informed: return "\(machine.informed(isRunning: false))"
    case .informedInRun: return "\(machine.informed(isRunning: true))"
    case .informedInBan:
      let outer = machine.beginBan(.modifying(origin))
      defer { machine.endRestriction(to: outer) }
      return "\(machine.informed(isRunning: false))"
    case .reacted:
      machine.reacted()
      return "done"
    case .visitBegan:
      machine.visitBegan()
      return "done"
    case .visitEnds: return "\(machine.visitEnds())"
    case .nextOfVisit:
      let next = machine.nextOfVisit()
      return next.map { "\($0.member) in \($0.generation)" } ?? "nothing"
    case .visited:
      machine.visited(0)
      return "done"
    case .nextOfRemoval:
      _ = machine.beginRemoval(portion: 10)
      return "\(machine.nextOfRemoval(hasReleased: false))"
    }
  }
}
