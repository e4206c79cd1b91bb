// The file writes a date and clock times apart; events need one line of time to be ordered on.

/// A minute of the calendar, without a time zone: what a clock on the wall shows.
package struct Moment: Sendable, Hashable, Comparable {
  /// The number of minutes in a day.
  package static let minutesPerDay = 24 * 60

  /// The minutes since 1970-01-01 00:00.
  package var minutes: Int

  /// Makes a moment from the minutes since 1970-01-01 00:00.
  package init(minutes: Int) {
    self.minutes = minutes
  }

  /// Makes the midnight that begins a day, or nothing when there is no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Moment.days(in: month, of: year)).contains(day)
    else { return nil }
    // Counted in years that begin in March, so that the leap day is the last one (H. Hinnant,
    // "chrono-compatible low-level date algorithms").
    let marchYear = month <= 2 ? year - 1 : year
    let marchMonth = (month + 9) % 12
    let days = marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400
    self.init(minutes: (days + (marchMonth * 153 + 2) / 5 + day - 1 - 719_468) * 1440)
  }

  /// The midnight that begins the day of this moment.
  package var startOfDay: Moment {
    let minute = minutes % Moment.minutesPerDay
    return self - (minute < 0 ? minute + Moment.minutesPerDay : minute)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2 where year.isMultiple(of: 400): 29
    case 2 where year.isMultiple(of: 4) && !year.isMultiple(of: 100): 29
    case 2: 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

// MARK: - Arithmetic

extension Moment {
  /// Orders by time.
  package static func < (left: Moment, right: Moment) -> Bool {
    left.minutes < right.minutes
  }

  /// The moment some minutes later.
  package static func + (moment: Moment, minutes: Int) -> Moment {
    Moment(minutes: moment.minutes + minutes)
  }

  /// The moment some minutes earlier.
  package static func - (moment: Moment, minutes: Int) -> Moment {
    Moment(minutes: moment.minutes - minutes)
  }

  /// The moment with the same clock time, on the day that brings it closest to another moment.
  package func onDayClosest(to other: Moment) -> Moment {
    let days = Double(other.minutes - minutes) / Double(Moment.minutesPerDay)
    return self + Int(days.rounded()) * Moment.minutesPerDay
  }
}

// MARK: - Text

extension Moment: CustomStringConvertible {
  /// The date and the clock time, for instance `2013-01-01 05:17`.
  package var description: String {
    let midnight = startOfDay
    let minute = minutes - midnight.minutes
    let date = Moment.date(ofDay: midnight.minutes / Moment.minutesPerDay)
    return "\(date.year)-\(Moment.padded(date.month))-\(Moment.padded(date.day)) "
      + "\(Moment.padded(minute / 60)):\(Moment.padded(minute % 60))"
  }

  /// The date of a day, counted from 1970-01-01: the inverse of `init(year:month:day:)`.
  private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
    let daysPerEra = 146_097
    let shifted = day + 719_468
    let era = shifted / daysPerEra
    let dayOfEra = shifted % daysPerEra
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / (daysPerEra - 1)) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (
      era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * marchMonth + 2) / 5 + 1
    )
  }

  private static func padded(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
