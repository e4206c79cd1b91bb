import FlightBoard
import Testing

@Suite struct TimelineTests {
  private func timeline(_ rows: [String]) throws -> [String] {
    let flights = try CSV.flights(rows)
    return Flight.timeline(of: Array(flights.indices), in: flights).map {
      "\($0.moment.description.suffix(5)) \($0.kind) \($0.flight)"
    }
  }

  @Test func `events come in time order, cancellations when the flight should have left`() throws {
    let timeline = try timeline([
      CSV.row(dep: "900", arr: "1100"), CSV.row(dep: "805", arr: "910"), CSV.cancelled(),
    ])
    #expect(
      timeline == [
        "08:00 cancellation 2", "08:05 departure 1", "09:00 departure 0", "09:10 arrival 1",
        "11:00 arrival 0",
      ])
  }

  @Test func `a flight departs before it arrives, after midnight and in one minute`() throws {
    let timeline = try timeline([
      CSV.row(sched: "2350", dep: "2350", arr: "20"),
      CSV.row(sched: "2355", dep: "2355", arr: "2355"),
    ])
    #expect(
      timeline == [
        "23:50 departure 0", "23:55 departure 1", "23:55 arrival 1", "00:20 arrival 0",
      ])
  }

  @Test func `a diverted flight has no arrival`() throws {
    #expect(try timeline([CSV.row(arr: "NA", arrDelay: "NA")]) == ["08:00 departure 0"])
  }

  @Test func `the number of events is known without the timeline`() throws {
    let rows = [CSV.row(), CSV.row(arr: "NA", arrDelay: "NA"), CSV.cancelled()]
    #expect(try CSV.flights(rows).map(\.eventCount) == [2, 1, 1])
  }
}
