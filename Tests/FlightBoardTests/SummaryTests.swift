import FlightBoard
import Testing

@Suite struct SummaryTests {
  private let flight: Flight
  private let diverted: Flight

  init() throws {
    let rows = [CSV.row(depDelay: "4", arrDelay: "-2"), CSV.row(arr: "NA", arrDelay: "NA")]
    let flights = try CSV.flights(rows)
    flight = flights[0]
    diverted = flights[1]
  }

  private func count(_ flight: Flight, _ status: Flight.Status) -> Summary {
    var summary = Summary()
    summary.count(flight, status)
    return summary
  }

  @Test func `a flight is counted where it stands`() {
    #expect(count(flight, .scheduled).scheduled == 1)
    #expect(count(flight, .departed).departed == 1)
    #expect(count(flight, .departed).airborne == 1)
    #expect(count(flight, .landed).departed == 1)
    #expect(count(flight, .landed).airborne == 0)
    #expect(count(flight, .landed).landed == 1)
    #expect(count(flight, .cancelled).cancelled == 1)
  }

  @Test func `the events to come follow from the status`() {
    #expect(count(flight, .scheduled).remaining == 2)
    #expect(count(flight, .departed).remaining == 1)
    #expect(count(flight, .landed).remaining == 0)
    #expect(count(diverted, .scheduled).remaining == 1)
    #expect(count(diverted, .departed).remaining == 0)
    #expect(count(flight, .cancelled).remaining == 0)
  }

  @Test func `a delay counts once the event has happened`() {
    #expect(count(flight, .scheduled).departureDelays.mean == nil)
    #expect(count(flight, .departed).departureDelays.mean == 4)
    #expect(count(flight, .departed).arrivalDelays.mean == nil)
    #expect(count(flight, .landed).arrivalDelays.mean == -2)
  }

  @Test func `a sum is the count of all`() {
    var both = count(flight, .landed)
    both.count(diverted, .departed)
    #expect(count(flight, .landed) + count(diverted, .departed) == both)
  }

  @Test func `a mean is over the delays there are`() {
    var delays = Delays()
    #expect(delays.mean == nil)
    delays.add(1)
    delays.add(nil)
    delays.add(2)
    #expect(delays.mean == 1.5)
  }

  @Test(arguments: [Flight.Status.scheduled, .departed, .landed, .cancelled])
  func `every count agrees with itself`(status: Flight.Status) {
    #expect(count(flight, status).faults(in: "EWR").isEmpty)
  }

  @Test func `half an event is a fault`() {
    var summary = count(flight, .scheduled)
    summary.departed += 1
    #expect(
      summary.faults(in: "EWR") == [
        "EWR: 1 scheduled + 1 departed + 0 cancelled is not 1",
        "EWR: 0 airborne is not 1 departed − 0 landed",
      ])
  }
}
