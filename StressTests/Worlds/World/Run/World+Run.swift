import Foundation
import StateGraph
import StateGraphTesting

extension World {
  /// Runs a plan from its first step to the end of all that it has made.
  ///
  /// - Parameters:
  ///   - plan: What is done.
  ///   - isSerial: Whether one task does everything, one step after the other.
  package static func run(_ plan: WorldPlan, isSerial: Bool) async {
    Progress.begin("world \(plan.seed)\(isSerial ? " serial" : "")")
    let weakWorld = await live(plan, isSerial: isSerial)
    Progress.enter("releases")
    await expectNothing(of: weakWorld)
  }

  private static func live(_ plan: WorldPlan, isSerial: Bool) async -> Weak<World> {
    let world = World(plan)
    await Graph.shared.setRemovalPortion(plan.removalPortion)
    Progress.enter("steps")
    if isSerial {
      await world.runSerially()
    } else {
      await world.runLanes()
    }
    Progress.enter("end")
    await world.end()
    await world.releaseOneByOne()
    Progress.enter("release of the world")
    return Weak(world)
  }

  /// Lets go of nodes while the task runs that removes them; nothing enters the actor afterwards.
  private func releaseOneByOne() async {
    var nodes = (0..<40).map { number in
      Computed { [token = Census.alive.token()] _ in withExtendedLifetime(token) { number } }
    }
    await GraphActor.run { for node in nodes { _ = node.wrappedValue } }
    while !nodes.isEmpty {
      nodes.removeLast()
      if nodes.count.isMultiple(of: 4) { await Task.yield() }
    }
  }

  private func runSerially() async {
    var rest = plan.lanes.map { $0.steps[...] }
    while rest.contains(where: { !$0.isEmpty }) {
      for lane in rest.indices {
        guard let (number, step) = rest[lane].popFirst() else { continue }
        Watchdog.note("steps", "\(number) \(step)")
        await perform(step)
        Watchdog.note("steps", "\(number) verify")
        await verifyAll("after step \(number)")
      }
    }
    Watchdog.note("steps", nil)
  }

  private func runLanes() async {
    await withTaskGroup { group in
      for (place, lane) in plan.lanes.enumerated() {
        if lane.isThread {
          group.addTask { await self.runThread(place, lane) }
        } else {
          group.addTask {
            for (number, step) in lane.steps {
              Watchdog.note("task \(place)", "\(number) \(step)")
              await self.perform(step)
            }
            Watchdog.note("task \(place)", nil)
          }
        }
      }
    }
  }

  private func runThread(_ place: Int, _ lane: WorldPlan.Lane) async {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        for (number, step) in lane.steps {
          Watchdog.note("thread \(place)", "\(number) \(step)")
          self.performHere(step)
        }
        Watchdog.note("thread \(place)", nil)
        continuation.resume()
      }
      thread.start()
    }
  }
}
