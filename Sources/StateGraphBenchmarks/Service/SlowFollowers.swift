import StateGraph
import Synchronization

/// Writers beside clients that follow what takes long to derive.
///
/// The floor is the same work without the clients.
enum SlowFollowers {
  static var benchmarks: [Benchmark] {
    [
      Benchmark(
        "service", "writes beside a stream of a list of 10000", unit: .nanoseconds(per: "write")
      ) { await writes(besideStream: true, $0) },
      Benchmark(
        "service", "writes beside a group that sums 10000 up", unit: .nanoseconds(per: "write")
      ) { await writes(besideStream: false, $0) },
      Benchmark(
        "service", "orders beside watchers of the total and the low stock of 10000 products",
        unit: .nanoseconds(per: "order"), orders),
      Benchmark(
        "service", "longest visit while 10000 nodes are removed", unit: .microseconds(per: "visit"),
        longestVisit),
    ]
  }

  /// What a client has seen last.
  private final class Latest: Sendable {
    private let number = Atomic(0)
    var value: Int {
      get { number.load(ordering: .acquiring) }
      set { number.store(newValue, ordering: .releasing) }
    }
  }

  private static func makeProducts() -> [Stored<Int>] { (0..<10_000).map { _ in Stored(1_000) } }

  private static func writes(besideStream: Bool, _ sampler: Sampler) async -> Measurement {
    let count = sampler.size(300_000, quick: 100)
    return await sampler.collect {
      let products = makeProducts()
      let alone = await time(count, on: products)
      let list = Computed { products.map(\.wrappedValue) }
      let last = Latest()
      let tracking = await withGraphTracking {
        if !besideStream {
          withGraphTrackingGroup {
            last.value = products.reduce(0) { $0 + $1.wrappedValue }
          }
        }
      }
      let client = Task {
        guard besideStream else { return }
        for await values in list.values { last.value = values.reduce(0, +) }
      }
      if besideStream { while last.value == 0 { await Task.yield() } }
      let beside = await time(count, on: products)
      let sum = await GraphActor.run { products.reduce(0) { $0 + $1.wrappedValue } }
      while last.value != sum { await Task.yield() }
      client.cancel()
      tracking.cancel()
      return (beside, alone)
    }
  }

  /// Writes one node after the other, from outside of the actor.
  private static func time(_ count: Int, on products: [Stored<Int>]) async -> Double {
    let start = ContinuousClock.now
    for number in 0..<count {
      await products[number % products.count].set(number)
      // A client needs a thread, too.
      if number.isMultiple(of: 1_000) { await Task.yield() }
    }
    return start.duration(to: .now).nanoseconds / Double(count)
  }

  private static func orders(_ sampler: Sampler) async -> Measurement {
    let count = sampler.size(20_000, quick: 20)
    return await sampler.collect {
      let products = makeProducts()
      let alone = await timeOrders(count, of: products)
      let total = Computed { products.reduce(0) { $0 + $1.wrappedValue } }
      let low = Computed { products.filter { $0.wrappedValue < 999 }.count }
      let seen = Latest()
      let clients = [
        Task { for await number in total.values { seen.value = number } },
        Task { for await _ in low.values {} },
      ]
      while seen.value == 0 { await Task.yield() }
      let beside = await timeOrders(count, of: products)
      while seen.value != 10_000_000 - 2 * count { await Task.yield() }
      for client in clients { client.cancel() }
      return (beside, alone)
    }
  }

  /// Sells one product after the other, each in a transaction that awaits.
  private static func timeOrders(_ count: Int, of products: [Stored<Int>]) async -> Double {
    let start = ContinuousClock.now
    for order in 0..<count {
      let product = products[order * 7_919 % products.count]
      await Writes.commit {
        guard product.wrappedValue > 0 else { return }
        await Task.yield()
        product.wrappedValue -= 1
      }
    }
    return start.duration(to: .now).nanoseconds / Double(count)
  }

  /// Holds nodes that have been read.
  @GraphActor private final class Holder {
    private var nodes: [Computed<Int>]

    init(_ nodes: [Computed<Int>]) {
      self.nodes = nodes
      for node in nodes { _ = node.wrappedValue }
    }

    /// Lets go of all of them in one step.
    func letGo() { nodes = [] }
  }

  /// Visits the actor again and again while nodes are removed that have been released at once.
  private static func longestVisit(_ sampler: Sampler) async -> Measurement {
    let count = sampler.size(10_000, quick: 100)
    return await sampler.collect {
      let source = Stored(0)
      let holder = await Holder(
        (0..<count).map { number in Computed { source.wrappedValue + number } })
      await GraphActor.settle()
      await holder.letGo()
      var longest = Duration.zero
      for _ in 0..<200 {
        let duration = await ContinuousClock().measure { await GraphActor.run {} }
        longest = max(longest, duration)
        await Task.yield()
      }
      await GraphActor.settle()
      return (longest.nanoseconds, nil)
    }
  }
}
