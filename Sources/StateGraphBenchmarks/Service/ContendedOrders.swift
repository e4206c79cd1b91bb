import StateGraph
import Synchronization

/// Orders of many clients, each in a transaction with a payment in the middle.
///
/// The floor is an actor with a dictionary: it looks at the stock, awaits the payment, looks again and
/// decrements.
enum ContendedOrders {
  static var benchmarks: [Benchmark] {
    [
      Benchmark(
        "service", "transactions beside one that has lost and takes long",
        unit: .nanoseconds(per: "transaction"), besideOneThatHasLost),
      Benchmark(
        "service", "64 clients, 1000 products, payment of 1 ms", unit: .microseconds(per: "order")
      ) { await orders(payment: .milliseconds(1), $0) },
      Benchmark(
        "service", "64 clients, 1000 products, payment of 20 ms", unit: .microseconds(per: "order")
      ) { await orders(payment: .milliseconds(20), $0) },
      Benchmark(
        "service", "16 clients, one product, decremented at the commit",
        unit: .microseconds(per: "order")
      ) { await hotProduct(\.duration, $0) },
      Benchmark(
        "service", "16 clients, one product, decremented at the commit, bodies",
        unit: .count(of: "bodies", per: "order")
      ) { await hotProduct(\.bodies, $0) },
    ]
  }

  // MARK: - Unrelated transactions

  /// Transactions on a node of their own, alone as the floor.
  private static func besideOneThatHasLost(_ sampler: Sampler) async -> Measurement {
    let count = sampler.size(20_000, quick: 20)
    return await sampler.collect {
      let (hot, other) = (Stored(0), Stored(0))
      let alone = await time(count, on: other)
      let (begun, done) = (Flag(), Flag())
      async let lost: Void = Writes.commit {
        hot.wrappedValue += 1
        if GraphTransaction.current?.attempt == 1 {
          await Task.detached { await hot.set(10) }.value
        } else {
          begun.isSet = true
          while !done.isSet { await pause(.milliseconds(1)) }
        }
      }
      while !begun.isSet { await Task.yield() }
      let beside = await time(count, on: other)
      done.isSet = true
      await lost
      check(await other.value, equals: 2 * count, "the writes of the unrelated transactions")
      return (beside, alone)
    }
  }

  /// Says something to another task.
  private final class Flag: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool {
      get { flag.load(ordering: .acquiring) }
      set { flag.store(newValue, ordering: .releasing) }
    }
  }

  private static func time(_ count: Int, on node: Stored<Int>) async -> Double {
    let start = ContinuousClock.now
    for _ in 0..<count {
      await Writes.commit {
        let value = node.wrappedValue
        await Task.yield()
        node.wrappedValue = value + 1
      }
    }
    return start.duration(to: .now).nanoseconds / Double(count)
  }

  // MARK: - Orders

  private static func pause(_ duration: Duration) async {
    do { try await Task.sleep(for: duration) } catch { check(false, "a payment was cancelled") }
  }

  private static func orders(payment: Duration, _ sampler: Sampler) async -> Measurement {
    let (clients, orders) = (64, sampler.size(20, quick: 1))
    return await sampler.collect {
      let stock = (0..<1_000).map { _ in Stored(1_000) }
      let graph = await Crowd.time(tasks: clients) { _ in
      } work: { client in
        for order in 0..<orders {
          let product = stock[(client * 7_919 + order * 104_729) % stock.count]
          await Writes.commit {
            guard product.wrappedValue > 0 else { return }
            await pause(payment)
            product.wrappedValue -= 1
          }
        }
      }
      let shop = Shop()
      let actor = await Crowd.time(tasks: clients) { _ in
      } work: { client in
        for order in 0..<orders {
          await shop.order((client * 7_919 + order * 104_729) % 1_000, payment: payment)
        }
      }
      var left = 0
      for product in stock { left += await product.value }
      check(1_000_000 - left, equals: clients * orders, "the products sold")
      check(await shop.sold, equals: clients * orders, "the products that the actor has sold")
      let total = Double(clients * orders)
      return (graph.nanoseconds / total, actor.nanoseconds / total)
    }
  }

  /// The same service without the library.
  private actor Shop {
    private var stock = Array(repeating: 1_000, count: 1_000)
    private(set) var sold = 0

    func order(_ product: Int, payment: Duration) async {
      guard stock[product] > 0 else { return }
      await ContendedOrders.pause(payment)
      guard stock[product] > 0 else { return }
      stock[product] -= 1
      sold += 1
    }
  }

  /// What an order of a product that all clients want costs.
  private struct Order {
    var duration: Double
    /// Runs of the body.
    var bodies: Double
  }

  private final class Bodies: Sendable {
    let count = Atomic(0)
  }

  private static func hotProduct(
    _ result: @Sendable (Order) -> Double, _ sampler: Sampler
  ) async -> Measurement {
    let (clients, orders) = (16, sampler.size(50, quick: 2))
    return await sampler.collect {
      let stock = Stored(1_000_000)
      let bodies = Bodies()
      let time = await Crowd.time(tasks: clients) { _ in
      } work: { _ in
        for _ in 0..<orders {
          await Writes.commit {
            bodies.count.add(1, ordering: .relaxed)
            await pause(.milliseconds(1))
            do {
              try GraphTransaction.current?.atCommit { stock.wrappedValue -= 1 }
            } catch { check(false, "a closure of the commit was refused: \(error)") }
          }
        }
      }
      let total = clients * orders
      check(1_000_000 - (await stock.value), equals: total, "the products sold")
      return (
        result(
          Order(
            duration: time.nanoseconds / Double(total),
            bodies: Double(bodies.count.load(ordering: .relaxed)) / Double(total))), nil
      )
    }
  }
}
