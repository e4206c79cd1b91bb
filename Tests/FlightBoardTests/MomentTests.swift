import FlightBoard
import Testing

@Suite struct MomentTests {
  @Test(arguments: [
    (1970, 1, 1, 0), (1970, 1, 2, 1), (1969, 12, 31, -1), (2000, 2, 29, 11_016),
    (2000, 3, 1, 11_017), (2013, 1, 1, 15_706), (1, 1, 1, -719_162), (9999, 12, 31, 2_932_896),
  ])
  func `a date is its number of days since 1970`(year: Int, month: Int, day: Int, days: Int) throws
  {
    let moment = try #require(Moment(year: year, month: month, day: day))
    #expect(moment.minutes == days * 1440)
  }

  @Test(arguments: [
    (2013, 2, 29), (1900, 2, 29), (2013, 0, 1), (2013, 13, 1), (2013, 4, 31), (2013, 1, 0),
    (0, 1, 1), (10_000, 1, 1),
  ])
  func `a day that is not in the calendar is none`(year: Int, month: Int, day: Int) {
    #expect(Moment(year: year, month: month, day: day) == nil)
  }

  @Test func `the text is the date and the clock time, for every day of four centuries`() throws {
    let start = try #require(Moment(year: 1800, month: 1, day: 1))
    for day in 0..<146_097 {
      let moment = start + (day * 1440 + day % 1440)
      let parts = moment.description.split { "- :".contains($0) }.compactMap { Int($0) }
      try #require(parts.count == 5)
      let midnight = try #require(Moment(year: parts[0], month: parts[1], day: parts[2]))
      try #require(midnight + (parts[3] * 60 + parts[4]) == moment)
      try #require(midnight == moment.startOfDay)
    }
  }

  @Test func `the closest day may be the one before or after`() {
    let late = Moment(minutes: 23 * 60)
    let early = Moment(minutes: 60)
    #expect(early.onDayClosest(to: late) == Moment(minutes: 25 * 60))
    #expect(late.onDayClosest(to: early) == Moment(minutes: -60))
    #expect(late.onDayClosest(to: late) == late)
  }
}
