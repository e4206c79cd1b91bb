/// What messages call a node: its name, or else where it was made.
@usableFromInline
package struct NodeOrigin: Sendable, CustomStringConvertible {
  /// The name that the user gave.
  private let name: String?
  /// The file's id, `Module/File.swift`, as zero-terminated UTF-8.
  // SAFETY: Points to a string literal, which lives as long as the process.
  private nonisolated(unsafe) let fileID: UnsafePointer<UInt8>?
  /// The line in that file.
  private let line: UInt32

  @usableFromInline
  package init(name: String?, fileID: StaticString, line: UInt) {
    self.name = name
    self.fileID = fileID.hasPointerRepresentation ? fileID.utf8Start : nil
    self.line = UInt32(truncatingIfNeeded: line)
  }

  /// The name, or the location: `counter`, or `App/Counter.swift:12`.
  @usableFromInline package var description: String {
    name ?? location ?? "a node"
  }

  /// The name, and the location behind it.
  var nameAndLocation: String {
    guard let name, let location else { return description }
    return "\(name) (\(location))"
  }

  /// Where the node was made.
  private var location: String? {
    guard let fileID, line > 0 else { return nil }
    return "\(String(cString: fileID)):\(line)"
  }
}
