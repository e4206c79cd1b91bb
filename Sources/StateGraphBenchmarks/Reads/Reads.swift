import StateGraph

/// Reads from outside of the actor, by tasks that begin together.
///
/// The result is the time from the start to the end of the last task, times the cores that are at
/// work, divided by all reads: what one read costs the core that makes it. With no more tasks than
/// cores this is the time divided by the reads of one task, so it must not grow with the tasks; with
/// more it is that of a task while it has a core. All tasks together make as many reads in that time
/// as cores are at work.
///
/// The floor is a `Mutex`, read by as many tasks in the same place.
enum Reads {
  static var benchmarks: [Benchmark] {
    let readings =
      [.mutex, .actor] + Reading.ofOneNode + Reading.ofValues + Reading.ofSnapshots
    return readings.flatMap { reading in
      [1, 2, 4, 16].map { benchmark(reading, tasks: $0, on: .pool) }
        + [benchmark(reading, tasks: 1, on: .mainActor)]
    }
  }

  private static func benchmark(
    _ reading: Reading, tasks: Int, on place: Crowd.Place
  ) -> Benchmark {
    let who =
      switch place {
      case .pool: "\(tasks) \(tasks == 1 ? "task" : "tasks")"
      case .mainActor: "the main actor"
      }
    return Benchmark("reads", "\(reading.name), \(who)", unit: .nanoseconds(per: "read")) {
      await measure(reading, tasks: tasks, on: place, $0)
    }
  }

  private static func measure(
    _ reading: Reading, tasks: Int, on place: Crowd.Place, _ sampler: Sampler
  ) async -> Measurement {
    let loop = await reading.makeLoop()
    let floor = await Reading.mutex.makeLoop()
    return await sampler.collect {
      (
        result: await time(reading, loop, tasks: tasks, on: place, sampler),
        floor: await time(.mutex, floor, tasks: tasks, on: place, sampler)
      )
    }
  }

  /// Nanoseconds for one read.
  private static func time(
    _ reading: Reading, _ loop: @escaping Reading.Loop, tasks: Int, on place: Crowd.Place,
    _ sampler: Sampler
  ) async -> Double {
    let full = place == .pool ? reading.counts.pool : reading.counts.mainActor
    // Contention must last long enough to show, and many tasks last long enough anyway.
    let count = sampler.size(full / max(1, tasks / Crowd.coreCount), quick: 500)
    let duration = await Crowd.time(tasks: tasks, on: place) { _ in
      blackHole(await loop(count / 10))
    } work: { _ in
      check(await loop(count), equals: count * reading.nodes, "the sum of what was read")
    }
    let cores = min(tasks, Crowd.coreCount)
    return duration.nanoseconds * Double(cores) / Double(tasks * count)
  }
}
