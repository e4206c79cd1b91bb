// From a path to flights. The whole file is read and checked before anything is shown, so that a
// malformed row in the last line leaves nothing half printed.

import Foundation

/// A file of flights.
package enum FlightFile {
  /// The sample that comes with the program: the flights of 1 January 2013.
  static var sample: URL? {
    Bundle.module.url(
      forResource: "flights-2013-01-01", withExtension: "csv", subdirectory: "Resources")
  }

  /// Reads the flights of a file, or of the sample.
  ///
  /// - Parameter path: The path of the file; `nil` for the sample.
  /// - Returns: The flights, in the order of the file.
  /// - Throws: An error that names the file and, where it applies, the line.
  package static func read(_ path: String?) throws(InputError) -> [Flight] {
    guard let path = path ?? sample?.path else {
      throw InputError(.unreadable, "the sample is missing beside the program; name a file")
    }
    do {
      return try parse(bytes(of: path))
    } catch {
      var located = error
      located.path = printable(path)
      throw located
    }
  }

  /// Reads the flights from the bytes of a file, in their order.
  ///
  /// - Throws: An error with the line, at the first fault.
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  package static func parse(_ bytes: [UInt8]) throws(InputError) -> [Flight] {
    var reader = CSVReader(bytes)
    guard try reader.readRow() else {
      throw InputError(.empty, "the file is empty; expected a header and at least one flight")
    }
    let header = try FlightHeader(reader)
    var flights: [Flight] = []
    while try reader.readRow() {
      flights.append(try FlightRow(header: header, fields: reader).flight())
    }
    guard !flights.isEmpty else {
      throw InputError(.empty, "no flights after the header; expected at least one")
    }
    return flights
  }

  private static func bytes(of path: String) throws(InputError) -> [UInt8] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw InputError(.unreadable, "no such file; expected a CSV file of flights")
    }
    guard !isDirectory.boolValue else {
      throw InputError(.unreadable, "this is a directory; expected a CSV file of flights")
    }
    // A handle, because `FileManager` does not read pipes.
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      return [UInt8](try file.readToEnd() ?? Data())
    } catch {
      throw InputError(.unreadable, "the file cannot be read; expected a CSV file of flights")
    }
  }

  /// A path as it stands in a message: quoted only where it would break the line.
  private static func printable(_ path: String) -> String {
    let isPlain = !path.isEmpty && path.unicodeScalars.allSatisfy { $0.value >= 32 }
    return isPlain ? path : path.debugDescription
  }
}
