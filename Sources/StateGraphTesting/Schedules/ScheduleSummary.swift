/// What `withEverySchedule(upTo:)` has tried.
public struct ScheduleSummary: Sendable, CustomStringConvertible {
  /// How many runs there were.
  public private(set) var runCount = 0
  /// How many of them had a schedule that no other had.
  public var distinctCount: Int { hashes.count }
  /// The steps of the longest run.
  public private(set) var longest = 0
  /// The steps of all runs.
  public private(set) var stepCount = 0
  /// Whether there is no schedule that was not tried.
  ///
  /// With a bound on interruptions: none within the bound.
  public internal(set) var isExhaustive = false

  /// The schedules that there were.
  private var hashes: Set<UInt64> = []

  init() {}

  /// Adds a run.
  mutating func add(_ record: ScheduleRecord) {
    runCount += 1
    stepCount += record.stepCount
    longest = max(longest, record.stepCount)
    hashes.insert(record.hash)
  }

  /// The numbers, in one line.
  public var description: String {
    "\(runCount) runs, \(distinctCount) distinct schedules, at most \(longest) steps, "
      + "\(stepCount) steps in all" + (isExhaustive ? ", exhaustive" : "")
  }
}
