#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The line that shows how far a loop over schedules has come, if standard error is a terminal.
struct ScheduleProgress {
  private let isShown = isatty(STDERR_FILENO) == 1
  private var lastShown = ContinuousClock.now
  private var hasShown = false

  /// Replaces the line, a few times a second.
  mutating func show(_ summary: ScheduleSummary, of count: Int) {
    guard isShown, lastShown.duration(to: .now) > .milliseconds(200) else { return }
    lastShown = .now
    hasShown = true
    print("\r\u{1B}[K\(summary.runCount) of \(count) runs, \(summary.distinctCount) distinct")
  }

  /// Removes the line.
  mutating func end() {
    if hasShown { print("\r\u{1B}[K") }
    hasShown = false
  }

  private func print(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
