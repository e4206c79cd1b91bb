import FlightBoard
import Synchronization
import Testing

@Suite struct ScreenTests {
  @Test func `a redraw goes back over the lines before, and an erase leaves none`() {
    let written = Mutex<[String]>([])
    var screen = Screen { text in written.withLock { $0.append(text) } }
    screen.erase()
    screen.draw(["a", "b"])
    screen.draw(["c"])
    screen.erase()
    screen.erase()
    #expect(
      written.withLock { $0 } == [
        "\u{1B}[?7la\nb\n\u{1B}[?7h",
        "\u{1B}[2A\r\u{1B}[J\u{1B}[?7lc\n\u{1B}[?7h",
        "\u{1B}[1A\r\u{1B}[J",
      ])
  }

  @Test func `a table aligns names to the left and numbers to the right`() {
    let table = Table(heading: ["airport", "n"], rows: [["EWR", "10"], ["–", "7"]])
    #expect(table.lines == ["airport   n", "EWR      10", "–         7"])
  }
}
