import Foundation
import Testing

/// The lock-free parts of the library in all executions that the C++ memory model allows, also those
/// that no processor at hand shows.
@Suite struct MemoryOrderTests {
  @Test(arguments: MemoryModel.small + MemoryModel.large)
  func `no execution goes wrong`(model: MemoryModel) {
    #expect(model.executions(.asBuilt).fault == nil)
  }

  @Test(arguments: AtomicStep.allCases)
  func `no order is stronger than it has to be`(step: AtomicStep) {
    for order in step.weakerOrders {
      let isNoticed = MemoryModel.small.contains {
        $0.executions(.changing(step, to: order)).fault != nil
      }
      #expect(isNoticed, "\(step) might as well be \(order)")
    }
  }

  @Test(arguments: AtomicStep.allCases)
  func `the library has the orders of the models`(step: AtomicStep) throws {
    let suite = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let root = suite.appending(path: "../Sources/StateGraph")
    for (file, code) in step.sources {
      let text = try String(contentsOf: root.appending(path: "\(file).swift"), encoding: .utf8)
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let operation = "\(code).\(step.order)"
      let isThere = [")", ",", " "].contains { words.contains(operation + $0) }
      #expect(isThere, "\(file) has no \(operation), see \(step)")
    }
  }
}
