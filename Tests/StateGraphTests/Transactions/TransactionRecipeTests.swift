import StateGraph
import StateGraphTesting
import Testing

/// What `Docs/TRANSACTIONS.md` tells to do in a service.
@Suite(.timeLimit(.minutes(5))) struct TransactionRecipeTests {
  private enum ShopError: Error, Equatable { case soldOut, declined }
  private enum Order: Equatable { case reserved, paid, failed }

  /// A service whose payments take a while, and fail for some keys.
  private final class Shop: Sendable {
    let stock: Stored<Int>
    let orders = Stored<[String: Order]>([:])
    let charges = EventLog<String>()

    init(stock: Int) {
      self.stock = Stored(stock)
    }

    func charge(_ key: String) async throws {
      charges.record(key)
      await Task.yield()
      if key.hasSuffix("!") { throw ShopError.declined }
    }

    /// Reserves, pays, confirms.
    func order(_ key: String) async throws {
      let isNew = try await withGraphTransaction { [stock, orders] in
        guard orders.wrappedValue[key] == nil else { return false }
        orders.wrappedValue[key] = .reserved
        try GraphTransaction.current?.atCommit {
          guard stock.wrappedValue > 0 else { throw ShopError.soldOut }
          stock.wrappedValue -= 1
        }
        await Task.yield()
        return true
      }
      guard isNew else { return }
      do {
        try await charge(key)
        await withGraphTransaction { orders.wrappedValue[key] = .paid }
      } catch {
        await withGraphTransaction {
          orders.wrappedValue[key] = .failed
          stock.wrappedValue += 1
        }
        throw error
      }
    }
  }

  @Test func `each order is charged once, whatever is repeated and whoever conflicts`() async {
    let shop = Shop(stock: 100)
    await withTaskGroup { group in
      for client in 0..<16 {
        for order in 0..<5 {
          let key = "\(client).\(order)" + (order == 4 ? "!" : "")
          for _ in 0..<2 { group.addTask { try? await shop.order(key) } }
        }
      }
    }
    let orders = await shop.orders.value
    #expect(orders.values.count { $0 == .paid } == 64)
    #expect(orders.values.count { $0 == .failed } == 16)
    #expect(Set(shop.charges.events).count == shop.charges.events.count)
    #expect(shop.charges.events.count == 80)
    #expect(await shop.stock.value == 36)
  }

  @Test func `no more is sold than there is`() async {
    let shop = Shop(stock: 10)
    let refused = EventLog<String>()
    await withTaskGroup { group in
      for client in 0..<40 {
        group.addTask {
          do { try await shop.order("\(client)") } catch { refused.record("\(error)") }
        }
      }
    }
    #expect(await shop.stock.value == 0)
    #expect(refused.events == Array(repeating: "soldOut", count: 30))
    #expect(await shop.orders.value.count == 10)
  }

  @Test func `a registry hands out one object for each key`() async throws {
    final class Session: Sendable {}
    let sessions = Stored<[Int: Session]>([:])
    let made = EventLog<Int>()
    let found = try await withThrowingTaskGroup { group in
      for client in 0..<16 {
        group.addTask {
          try await withGraphTransaction(maximumAttempts: 100) {
            if let known = sessions.wrappedValue[client % 4] { return known }
            await Task.yield()
            let session = Session()
            sessions.wrappedValue[client % 4] = session
            GraphTransaction.current?.onCommit { made.record(client % 4) }
            return session
          }
        }
      }
      var found: Set<ObjectIdentifier> = []
      for try await session in group { found.insert(ObjectIdentifier(session)) }
      return found
    }
    #expect(found.count == 4)
    #expect(made.events.sorted() == [0, 1, 2, 3])
  }

  @Test func `an audit sees one version while others transfer`() async throws {
    let accounts = (0..<20).map { _ in Stored(100) }
    let isOver = Stored(false)
    async let transfers: Void = {
      for number in 0..<500 {
        await withGraphTransaction {
          accounts[number % 20].wrappedValue -= 1
          accounts[(number * 7 + 1) % 20].wrappedValue += 1
        }
      }
      await isOver.set(true)
    }()
    var audits = 0
    while await !isOver.value || audits == 0 {
      let total = await withGraphSnapshot { snapshot in
        accounts.reduce(0) { $0 + snapshot[$1] }
      }
      #expect(total == 2_000)
      audits += 1
    }
    await transfers
  }
}
