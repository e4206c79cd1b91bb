/// The results of a benchmark: one number for each sample.
struct Measurement: Sendable {
  /// Nanoseconds, or a number of things, for each operation; one for each sample.
  var samples: [Double]

  /// The same for the floor, which does the work of the user's closures without the library.
  var floorSamples: [Double] = []

  /// The middle of the samples: half of them are not greater.
  var median: Double { samples.median }

  /// The median absolute deviation: half of the samples are not farther from the median.
  ///
  /// Unlike a standard deviation it does not grow with a single sample during which the machine was
  /// busy with something else.
  var spread: Double {
    let middle = median
    return samples.map { abs($0 - middle) }.median
  }

  /// How many times as long as the floor it takes; nil without a floor.
  var ratioToFloor: Double? {
    floorSamples.isEmpty ? nil : median / floorSamples.median
  }
}

extension [Double] {
  /// The middle element, or the mean of the two in the middle; 0 if there is none.
  var median: Double {
    guard !isEmpty else { return 0 }
    let ordered = sorted()
    return (ordered[(count - 1) / 2] + ordered[count / 2]) / 2
  }
}
