public import StateGraph

extension History {
  /// What one iterator over the changes of a key delivered.
  ///
  /// The key is one that transactions write: every element is compared with their writes.
  public struct Stream: Hashable, Sendable {
    /// The key whose changes were followed.
    public var key: String
    /// What the stream kept for its consumer; says what it may leave out.
    ///
    /// `.unbounded` delivers every change, from the value at the first request on. `.latest`
    /// delivers, at each request, a value that is current at some moment between request and
    /// delivery. Any other delivers some of the changes.
    public var buffering: GraphBuffering
    /// When the first element was asked for, or earlier; 0 if that is not known.
    public var begin: UInt64
    /// What was delivered, in order.
    public var elements: [Element]
    /// How it ended.
    public var end: End

    /// Makes a stream.
    ///
    /// - Parameters:
    ///   - key: The key whose changes were followed.
    ///   - buffering: What the stream kept for its consumer.
    ///   - begin: When the first element was asked for, or earlier; 0 if that is not known.
    ///   - elements: What was delivered, in order.
    ///   - end: How it ended.
    public init(
      of key: String, buffering: GraphBuffering = .unbounded, begin: UInt64 = 0,
      _ elements: [Element], end: End = .left
    ) {
      self.key = key
      self.buffering = buffering
      self.begin = begin
      self.elements = elements
      self.end = end
    }
  }
}

extension History.Stream {
  /// An element of a stream.
  public struct Element: Hashable, Sendable {
    /// The value of the key.
    public var value: History.Value
    /// The version of the value, if the stream said it.
    public var version: UInt64?
    /// When the element had been delivered; `UInt64.max` if that is not known.
    public var time: UInt64

    /// Makes an element with the value of a register.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - version: The version of the value, if the stream said it.
    ///   - time: When the element had been delivered.
    public init(_ value: Int, version: UInt64? = nil, time: UInt64 = .max) {
      self.init(.register(value), version: version, time: time)
    }

    /// Makes an element with the elements of a list.
    ///
    /// - Parameters:
    ///   - list: The elements.
    ///   - version: The version of the list, if the stream said it.
    ///   - time: When the element had been delivered.
    public init(_ list: [Int], version: UInt64? = nil, time: UInt64 = .max) {
      self.init(.list(list), version: version, time: time)
    }

    init(_ value: History.Value, version: UInt64?, time: UInt64) {
      self.value = value
      self.version = version
      self.time = time
    }
  }

  /// How a stream ended.
  public enum End: Hashable, Sendable {
    /// The consumer left, or was cancelled: nothing is said about the last element.
    case left
    /// The consumer took all there was when nothing changed the key any more: the last element must
    /// be the key's last value.
    case drained
    /// The stream ended by itself, because the key was released: the last element, if there is
    /// any, must be the key's last value.
    case released
  }
}

extension History.Stream.Element: ExpressibleByIntegerLiteral {
  /// Makes an element with the value of a register and nothing else.
  public init(integerLiteral value: Int) {
    self.init(value)
  }
}
