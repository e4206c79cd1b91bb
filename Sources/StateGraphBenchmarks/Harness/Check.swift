#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ends the process if a value is not what it must be.
///
/// A benchmark that computes something else than it says measures something else, too.
func check<Value: Equatable>(
  _ actual: Value, equals expected: Value, _ what: @autoclosure () -> String,
  fileID: StaticString = #fileID, line: UInt = #line
) {
  guard actual != expected else { return }
  fail("\(what()) is \(actual), expected \(expected)", fileID: fileID, line: line)
}

/// Ends the process if a claim does not hold.
func check(
  _ claim: Bool, _ what: @autoclosure () -> String,
  fileID: StaticString = #fileID, line: UInt = #line
) {
  guard !claim else { return }
  fail(what(), fileID: fileID, line: line)
}

/// Says why on standard error, and ends the process with code 1.
@inline(never)
private func fail(_ message: String, fileID: StaticString, line: UInt) -> Never {
  writeError("check failed at \(fileID):\(line): \(message)")
  exit(1)
}

/// Writes a line to standard error.
func writeError(_ line: String) {
  // SAFETY: The pointer is not used after the call, and the count is that of the bytes.
  _ = Array((line + "\n").utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}

/// Uses a value in a way that the optimiser cannot see through, so that it has to be computed.
@inline(never)
@_optimize(none)
func blackHole(_ value: Int) {}

/// Uses a value in a way that the optimiser cannot see through, so that it has to be computed.
///
/// Costs more than the one for integers, because it is never specialised.
@inline(never)
@_optimize(none)
func blackHole<Value>(_ value: Value) {}
