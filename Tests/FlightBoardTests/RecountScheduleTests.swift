import FlightBoard
import Testing

@Suite struct RecountScheduleTests {
  /// The events after which an auditor recounts that looks at the schedule every few events.
  private func recounts(flights: Int, events: Int, lookingEvery step: Int = 1) -> [Int] {
    var schedule = RecountSchedule(flightCount: flights)
    return stride(from: 0, through: events, by: step).filter { played in
      guard schedule.isDue(afterEvents: played) else { return false }
      schedule.recounted(afterEvents: played)
      return true
    }
  }

  @Test func `the first recount is due at once`() {
    #expect(RecountSchedule(flightCount: 336_776).isDue(afterEvents: 0))
    #expect(RecountSchedule(flightCount: 1).isDue(afterEvents: 0))
  }

  @Test func `the next is due after an eighth of the flights, not before`() {
    var schedule = RecountSchedule(flightCount: 800)
    schedule.recounted(afterEvents: 50)
    #expect(!schedule.isDue(afterEvents: 50))
    #expect(!schedule.isDue(afterEvents: 149))
    #expect(schedule.isDue(afterEvents: 150))
    #expect(schedule.isDue(afterEvents: 1000))
  }

  @Test func `no recount is due as long as nothing is played`() {
    #expect(recounts(flights: 0, events: 0) == [0])
    var schedule = RecountSchedule(flightCount: 1)
    schedule.recounted(afterEvents: 0)
    #expect(!schedule.isDue(afterEvents: 0))
    #expect(schedule.isDue(afterEvents: 1))
  }

  @Test func `a late look costs a recount and makes up for none`() {
    #expect(
      recounts(flights: 80, events: 160, lookingEvery: 15) == [
        0, 15, 30, 45, 60, 75, 90, 105, 120, 135, 150,
      ])
  }

  @Test(arguments: [842, 27_004, 336_776])
  func `a larger file is not recounted more often`(flights: Int) {
    let recounts = recounts(flights: flights, events: 2 * flights)
    #expect((16...17).contains(recounts.count))
  }

  @Test(arguments: 1...40)
  func `a few flights are not recounted more often than many`(flights: Int) {
    #expect(recounts(flights: flights, events: 2 * flights).count <= 17)
  }
}
