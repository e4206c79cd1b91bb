import StateGraph

/// Orders with lines, prices and taxes.
///
/// The order system of https://github.com/mobxjs/mobx (perf.js): a hundred orders of a hundred lines.
enum Orders {
  static var benchmarks: [Benchmark] {
    [
      Benchmark("orders", "one by one", unit: .microseconds(per: "update")) {
        await update(inTransaction: false, isFollowed: false, $0)
      },
      Benchmark("orders", "one by one, followed", unit: .microseconds(per: "update")) {
        await update(inTransaction: false, isFollowed: true, $0)
      },
      Benchmark("orders", "transaction", unit: .microseconds(per: "update")) {
        await update(inTransaction: true, isFollowed: false, $0)
      },
      Benchmark("orders", "transaction, followed", unit: .microseconds(per: "update")) {
        await update(inTransaction: true, isFollowed: true, $0)
      },
    ]
  }

  @GraphActor
  private static func update(
    inTransaction: Bool, isFollowed: Bool, _ sampler: Sampler
  ) -> Measurement {
    let shop = Shop()
    let reaction = isFollowed ? react { blackHole(shop.total.wrappedValue) } : nil
    defer { extendLifetime(reaction) }
    check(shop.total.wrappedValue, equals: 375_000, "the total at first")
    return sampler.measure(operations: 2) {
      for (tax, total) in [(3, 500_000), (2, 375_000)] {
        if inTransaction {
          withGraphTransaction { shop.change(tax: tax) }
        } else {
          shop.change(tax: tax)
        }
        check(shop.total.wrappedValue, equals: total, "the total")
      }
    }
  }
}

@GraphActor
private struct Shop {
  let total: Computed<Int>
  private let tax = Stored(2)
  private let orders: [Order]

  init() {
    let orders = (0..<100).map { [tax] number in
      Order(isTaxed: number.isMultiple(of: 2), tax)
    }
    self.orders = orders
    total = Computed { _ in orders.reduce(0) { $0 + $1.total.wrappedValue } }
  }

  /// Makes the first fifty orders taxed if they were not, and the other way round; sets the tax.
  func change(tax newTax: Int) {
    for order in orders.prefix(50) { order.isTaxed.wrappedValue.toggle() }
    tax.wrappedValue = newTax
  }
}

@GraphActor
private struct Order {
  let isTaxed: Stored<Bool>
  let total: Computed<Int>

  init(isTaxed: Bool, _ tax: Stored<Int>) {
    let isTaxed = Stored(isTaxed)
    let lines = (0..<100).map { _ in
      let price = Stored(5)
      let amount = Stored(5)
      return Computed { _ in price.wrappedValue * amount.wrappedValue }
    }
    self.isTaxed = isTaxed
    total = Computed { _ in
      let sum = lines.reduce(0) { $0 + $1.wrappedValue }
      return isTaxed.wrappedValue ? sum * tax.wrappedValue : sum
    }
  }
}
