import FlightBoard
import Testing

@Suite struct LatencyHistogramTests {
  @Test func `nothing has no percentiles`() {
    #expect(LatencyHistogram().percentile(0.5) == nil)
  }

  @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 1000, 123_456, 987_654_321, Int.max])
  func `a duration is at most a sixteenth too long`(nanoseconds: Int) throws {
    var histogram = LatencyHistogram()
    histogram.record(.nanoseconds(nanoseconds))
    let found = try #require(histogram.percentile(0.5))
    #expect(found >= .nanoseconds(nanoseconds))
    #expect(found <= .nanoseconds(nanoseconds) + .nanoseconds(nanoseconds / 16))
  }

  @Test func `percentiles are those of the sorted durations`() throws {
    var histogram = LatencyHistogram()
    var other = LatencyHistogram()
    for number in 1...1000 {
      if number.isMultiple(of: 3) {
        histogram.record(.nanoseconds(number))
      } else {
        other.record(.nanoseconds(number))
      }
    }
    histogram.merge(other)
    #expect(histogram.count == 1000)
    for (share, exact) in [(0.0, 1), (0.01, 10), (0.5, 500), (0.99, 990), (1.0, 1000)] {
      let found = try #require(histogram.percentile(share))
      #expect(found >= .nanoseconds(exact))
      #expect(found <= .nanoseconds(exact + exact / 16))
    }
  }
}
