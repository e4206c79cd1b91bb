// Drawing in place on a terminal, with the few escape sequences that every terminal knows.

import Foundation

/// The lines of a terminal that the board redraws.
package struct Screen: Sendable {
  /// Writes text to the terminal.
  private let write: @Sendable (String) -> Void

  /// The number of lines drawn, to go back over.
  private var height = 0

  /// Makes a screen.
  ///
  /// - Parameter write: Writes text, escape sequences included, at once.
  package init(write: @escaping @Sendable (String) -> Void) {
    self.write = write
  }

  /// The screen on standard output; `nil` if that is not a terminal, or one that cannot redraw.
  package static var terminal: Screen? {
    guard isatty(STDOUT_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else {
      return nil
    }
    return Screen { text in
      // A terminal that is gone is no reason to stop: the replay ends as without a board.
      try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
  }

  /// Draws lines in place of the ones before.
  package mutating func draw(_ lines: [String]) {
    // Lines are cut at the right margin while drawing (7): a wrapped one would count as two.
    write(back + "\u{1B}[?7l" + lines.map { $0 + "\n" }.joined() + "\u{1B}[?7h")
    height = lines.count
  }

  /// Leaves the screen as it was before the first line.
  package mutating func erase() {
    guard height > 0 else { return }
    write(back)
    height = 0
  }

  /// The sequence that moves to the first line drawn and clears what follows.
  private var back: String {
    height == 0 ? "" : "\u{1B}[\(height)A\r\u{1B}[J"
  }
}
