import FlightBoard
import Testing

@Suite struct FindingsTests {
  @Test func `all faults are counted and the first are kept`() {
    var findings = Findings()
    for number in 0..<8 {
      findings.expect(false, "\(number)")
    }
    findings.expect(true, "no")
    var others = Findings()
    others.report((8..<30).map { "\($0)" })
    findings += others
    #expect(findings.violations == 30)
    #expect(findings.faults == (0..<10).map { "\($0)" })
  }

  @Test func `the counts of two tasks are added`() {
    var findings = Findings()
    (findings.commits, findings.streamElements, findings.recounts) = (1, 2, 3)
    var others = Findings()
    (others.commits, others.streamElements, others.recounts) = (10, 20, 30)
    findings += others
    #expect(findings.commits == 11)
    #expect(findings.streamElements == 22)
    #expect(findings.recounts == 33)
  }

  @Test func `a violation is exit code 1, and the totals are printed all the same`() {
    var findings = Findings()
    findings.report(["EWR is wrong"])
    let outcome = Command.outcome(of: findings, output: "totals\n")
    #expect(
      outcome
        == Command.Outcome(
          code: 1, output: "totals\n", error: "FlightBoard: violation: EWR is wrong\n"))
    #expect(Command.outcome(of: Findings(), output: "totals\n").code == 0)
  }
}
