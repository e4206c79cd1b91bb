/// Begins to track: the groups and maps made in the body run until the result is cancelled or
/// released.
///
/// ```swift
/// let tracking = await withGraphTracking {
///   withGraphTrackingGroup {
///     print("count is \(counter.count)")
///   }
///   withGraphTrackingMap { counter.count > 10 } onChange: { @MainActor isMany in
///     label.isHidden = !isMany
///   }
/// }
/// ```
///
/// Inside a group it begins something of its own, which the group does not end. What the body
/// reads itself is not tracked.
///
/// - Parameter body: Makes groups and maps.
/// - Returns: What ends them.
/// - Precondition: No rule is running.
@GraphActor
public func withGraphTracking(_ body: @GraphActor () -> Void) -> GraphCancellable {
  Graph.shared.withTracking(body)
}

/// Runs a handler now, and again after commits that changed something that it read.
///
/// What the handler reads is tracked in every run anew. Groups and maps that it makes are ended
/// before its next run. What it writes itself to stored nodes that it has read does not make it
/// run again: a group that corrects a value comes to rest, and goes on observing. What its writes
/// change in computed nodes that it has read does. Groups that make each other run are ended by a
/// message after a hundred runs in a row.
///
/// The first run is over when the call returns. Inside a transaction it sees what the transaction
/// sees, and what it writes joins it.
///
/// - Parameters:
///   - delivery: When it runs again.
///   - name: What messages call the group; without it, they name the file and line where it is made.
///   - fileID: The file in which the group is made, for messages.
///   - line: The line at which it is made, for messages.
///   - handler: Reads nodes, and acts. It is released when the group ends.
/// - Precondition: It is called in the body of `withGraphTracking`, or in the handler of a group.
///
/// **Isolation:** The handler runs on `GraphActor`.
@GraphActor
public func withGraphTrackingGroup(
  delivery: GraphDelivery = .coalesced,
  name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
  _ handler: @escaping @GraphActor () -> Void
) {
  let origin = NodeOrigin(name: name, fileID: fileID, line: line)
  Graph.shared.begin(origin) { outer in
    GroupReaction(origin: origin, delivery: delivery, outer: outer, handler: handler)
  }
}

/// Evaluates an expression now, and again after commits that changed something that it read, and
/// gives its values to a handler.
///
/// Only the expression is tracked. The handler runs where it is isolated, `@MainActor` for
/// instance, one call after the other, in the order of the commits. If it is isolated to
/// `GraphActor` or not at all, it is called in the same step as the expression, and for the first
/// time before this call returns; otherwise soon after, with every value that the filter has let
/// through.
///
/// - Parameters:
///   - delivery: When the expression is evaluated again.
///   - filter: Decides which values reach the handler; without one, those that differ from the
///     value before.
///   - name: What messages call the map; without it, they name the file and line where it is made.
///   - fileID: The file in which the map is made, for messages.
///   - line: The line at which it is made, for messages.
///   - expression: Reads nodes. It is released when the map ends.
///   - onChange: Is given the values. It is released when the map ends.
/// - Precondition: It is called in the body of `withGraphTracking`, or in the handler of a group.
@GraphActor
public func withGraphTrackingMap<Value: Sendable>(
  delivery: GraphDelivery = .coalesced,
  filter: any GraphFilter<Value> = GraphDistinctFilter<Value>(),
  name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
  _ expression: @escaping @GraphActor () -> Value,
  @_inheritActorContext onChange: @escaping @isolated(any) @Sendable (Value) -> Void
) {
  let origin = NodeOrigin(name: name, fileID: fileID, line: line)
  Graph.shared.begin(origin) { outer in
    MapReaction(
      origin: origin, delivery: delivery, outer: outer, filter: filter,
      expression: { expression() }, handler: onChange)
  }
}

/// Evaluates an expression over an object, which it does not keep alive, and gives the values to a
/// handler.
///
/// The map ends when the object has been released. Everything else is as with an expression alone.
///
/// - Parameters:
///   - object: The object; held weakly.
///   - delivery: When the expression is evaluated again.
///   - filter: Decides which values reach the handler; without one, those that differ from the
///     value before.
///   - name: What messages call the map; without it, they name the file and line where it is made.
///   - fileID: The file in which the map is made, for messages.
///   - line: The line at which it is made, for messages.
///   - map: Reads nodes of the object. It is released when the map ends.
///   - onChange: Is given the values. It is released when the map ends.
/// - Precondition: It is called in the body of `withGraphTracking`, or in the handler of a group.
@GraphActor
public func withGraphTrackingMap<Object: AnyObject & Sendable, Value: Sendable>(
  from object: Object,
  delivery: GraphDelivery = .coalesced,
  filter: any GraphFilter<Value> = GraphDistinctFilter<Value>(),
  name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
  map: @escaping @GraphActor (Object) -> Value,
  @_inheritActorContext onChange: @escaping @isolated(any) @Sendable (Value) -> Void
) {
  let origin = NodeOrigin(name: name, fileID: fileID, line: line)
  Graph.shared.begin(origin) { outer in
    MapReaction(
      origin: origin, delivery: delivery, outer: outer, filter: filter,
      expression: { [weak object] in object.map { map($0) } }, handler: onChange)
  }
}

/// Calls a closure before the next run of the group in whose handler this is called, and when the
/// group ends.
///
/// It is called once. What is nested comes before what it is nested in, what was made last comes
/// first. What it reads is not tracked.
///
/// ```swift
/// withGraphTrackingGroup {
///   let connection = open(address.wrappedValue)
///   withGraphTrackingCleanup { connection.close() }
/// }
/// ```
///
/// - Parameters:
///   - fileID: The file of the call, for messages.
///   - line: The line of the call, for messages.
///   - cleanup: Is called on the actor; after a `cancel()`, soon, and not in the middle of a step. It is
///     released then, too.
/// - Precondition: The handler of a group is running.
@GraphActor
public func withGraphTrackingCleanup(
  fileID: StaticString = #fileID, line: UInt = #line, _ cleanup: @escaping @GraphActor () -> Void
) {
  guard let reaction = Graph.shared.trackingContext?.reaction else {
    let origin = NodeOrigin(name: nil, fileID: fileID, line: line)
    fatalError(
      "StateGraph: a cleanup is registered outside of the handler of a group, at \(origin)")
  }
  reaction.add(cleanup)
}

extension Graph {
  @GraphActor
  fileprivate func withTracking(_ body: @GraphActor () -> Void) -> GraphCancellable {
    failIfTrackingIsMistake()
    if core.pointee.engine.running == .none { enter() }
    let scope = TrackingScope()
    let outer = trackingContext
    trackingContext = TrackingContext(scope)
    withoutTracking(body)
    trackingContext = outer
    return GraphCancellable(scope: scope)
  }

  /// Adds a reaction to what is being tracked, and runs it for the first time.
  @GraphActor
  fileprivate func begin(
    _ origin: NodeOrigin, _ makeReaction: @GraphActor (_ outer: Reaction?) -> Reaction
  ) {
    failIfTrackingIsMistake()
    guard let context = trackingContext else {
      fatalError(
        "StateGraph: a group or a map is made outside of withGraphTracking, at "
          + "\(origin.nameAndLocation); nothing would end it")
    }
    guard !context.scope.isCancelled else { return }
    let reaction = makeReaction(context.reaction)
    register(reaction)
    context.reaction?.add(reaction)
    reaction.membership = context.scope.add { reaction.cancel() }
    reaction.run()
  }
}
