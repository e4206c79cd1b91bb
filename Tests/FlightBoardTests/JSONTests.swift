import FlightBoard
import Foundation
import Testing

@Suite struct JSONTests {
  @Test func `an object keeps its order and says null`() {
    let json = JSON.object([
      ("b", .integer(-1)), ("a", .null), ("c", .number(1.5)), ("d", .string("x")),
    ])
    #expect(json.text() == #"{"b": -1, "a": null, "c": 1.5, "d": "x"}"#)
  }

  @Test func `containers of containers are indented`() {
    let json = JSON.object([("a", .array([.object([("b", .integer(1))])])), ("c", .array([]))])
    #expect(
      json.text() == """
        {
          "a": [
            {"b": 1}
          ],
          "c": []
        }
        """)
  }

  @Test func `strings survive another parser`() throws {
    let string = "a\"b\\c\n\r\t\u{1}\u{1F}/é\u{1F6EB}\u{2028}"
    let data = Data(JSON.array([.string(string)]).text().utf8)
    #expect(try JSONDecoder().decode([String].self, from: data) == [string])
  }

  @Test(arguments: [0.1, -1.0 / 3, 1e21, 5e-300, 11.0])
  func `numbers survive another parser`(number: Double) throws {
    let data = Data(JSON.array([.number(number)]).text().utf8)
    #expect(try JSONDecoder().decode([Double].self, from: data) == [number])
  }
}
