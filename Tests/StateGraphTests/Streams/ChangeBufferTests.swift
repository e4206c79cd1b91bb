import Testing

@testable import StateGraph

/// The buffer of a stream, as a value.
@Suite struct ChangeBufferTests {
  private func drained(_ buffering: GraphBuffering, _ elements: Range<Int>) -> [String] {
    var buffer = ChangeBuffer<Int>(buffering)
    for element in elements { buffer.append(element) }
    var entries: [String] = []
    while let entry = buffer.popFirst() { entries.append("\(entry.element)-\(entry.dropped)") }
    return entries
  }

  @Test func `an unbounded buffer keeps all`() {
    #expect(drained(.unbounded, 0..<4) == ["0-0", "1-0", "2-0", "3-0"])
  }

  @Test func `the latest is kept`() {
    #expect(drained(.latest, 0..<4) == ["3-3"])
  }

  @Test func `the newest are kept`() {
    #expect(drained(.newest(2), 0..<5) == ["3-3", "4-0"])
    #expect(drained(.newest(2), 0..<2) == ["0-0", "1-0"])
  }

  @Test func `the oldest are kept`() {
    #expect(drained(.oldest(2), 0..<5) == ["0-0", "1-0"])
  }

  @Test func `what was dropped is told once, by the element that follows`() {
    var buffer = ChangeBuffer<Int>(.oldest(1))
    for element in 0..<3 { buffer.append(element) }
    #expect(buffer.popFirst()?.dropped == 0)
    buffer.append(3)
    #expect(buffer.popFirst()?.dropped == 2)
    buffer.append(4)
    #expect(buffer.popFirst()?.dropped == 0)
  }

  @Test func `a long queue is emptied in order`() {
    var buffer = ChangeBuffer<Int>(.unbounded)
    var expected = 0
    for element in 0..<10_000 {
      buffer.append(element)
      if element.isMultiple(of: 3) {
        #expect(buffer.popFirst()?.element == expected)
        expected += 1
      }
    }
    while let entry = buffer.popFirst() {
      #expect(entry.element == expected)
      expected += 1
    }
    #expect(expected == 10_000)
    #expect(buffer.count == 0)
  }
}
