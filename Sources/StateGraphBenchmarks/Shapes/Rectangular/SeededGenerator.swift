/// The generator that the published sums and counts of rectangular graphs depend on.
///
/// xmur3a makes a seed from a text, sfc32 makes the numbers; both are described at
/// https://github.com/bryc/code/blob/master/jshash/PRNGs.md. All arithmetic wraps.
struct SeededGenerator {
  private var a: UInt32
  private var b: UInt32
  private var c: UInt32
  private var d: UInt32

  /// Makes a generator.
  init(seed: String) {
    var hash = Hash(seed)
    (a, b, c, d) = (hash.next(), hash.next(), hash.next(), hash.next())
  }

  /// The next number, from 0 up to but not including 1.
  mutating func next() -> Double {
    var sum = a &+ b
    a = b ^ (b >> 9)
    b = c &+ (c << 3)
    c = (c << 21) | (c >> 11)
    d = d &+ 1
    sum = sum &+ d
    c = c &+ sum
    return Double(sum) / 4_294_967_296
  }

  /// The hash xmur3a.
  private struct Hash {
    private var state: UInt32 = 2_166_136_261

    init(_ text: String) {
      for unit in text.utf16 {
        var key = UInt32(unit) &* 3_432_918_353
        key = (key << 15) | (key >> 17)
        state ^= key &* 461_845_907
        state = (state << 13) | (state >> 19)
        state = state &* 5 &+ 3_864_292_196
      }
      state ^= UInt32(text.utf16.count)
    }

    mutating func next() -> UInt32 {
      state ^= state >> 16
      state = state &* 2_246_822_507
      state ^= state >> 13
      state = state &* 3_266_489_909
      state ^= state >> 16
      return state
    }
  }
}
