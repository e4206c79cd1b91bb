import StateGraph

// Which codings a plan can name by a number.

enum StoredCodings {
  static let count = 10
  /// The coding with a comparison of its own.
  static let rounded = 8
  /// The coding without a comparison.
  static let opaque = 5

  static func make(_ coding: Int, name: String, rank: Int) -> any Writable {
    switch coding {
    case 0: StoredSource<IntegerCoding>(0, name: name, rank: rank)
    case 1: StoredSource<TextCoding>(0, name: name, rank: rank)
    case 2: StoredSource<SmallArrayCoding>(0, name: name, rank: rank)
    case 3: StoredSource<LargeArrayCoding>(0, name: name, rank: rank)
    case 4: StoredSource<PointCoding>(0, name: name, rank: rank)
    case 5: StoredSource<OpaqueCoding>(0, name: name, rank: rank)
    case 6: StoredSource<OptionalCoding>(0, name: name, rank: rank)
    case 7: StoredSource<DoubleCoding>(0, name: name, rank: rank)
    case 8: StoredSource<RoundedCoding>(0, name: name, rank: rank)
    default: StoredSource<ObjectCoding>(0, name: name, rank: rank)
    }
  }
}

enum CounterCodings {
  static let count = 4
  /// The coding without a comparison.
  static let opaque = 3

  static func make(_ coding: Int, name: String) -> any Writable {
    switch coding {
    case 0: StoredSource<IntegerCoding>(0, name: name, rank: -1, grows: true)
    case 1: StoredSource<TextCoding>(0, name: name, rank: -1, grows: true)
    case 2: StoredSource<LargeArrayCoding>(0, name: name, rank: -1, grows: true)
    default: StoredSource<OpaqueCoding>(0, name: name, rank: -1, grows: true)
    }
  }
}

enum DerivedCodings {
  static let count = 6

  static func make(
    _ coding: Int, name: String, rule: Rule, sources: [any Source]
  ) -> any Source {
    switch coding {
    case 0: DerivedSource<IntegerCoding>(name: name, rule: rule, sources: sources)
    case 1: DerivedSource<TextCoding>(name: name, rule: rule, sources: sources)
    case 2: DerivedSource<PointCoding>(name: name, rule: rule, sources: sources)
    case 3: DerivedSource<OpaqueCoding>(name: name, rule: rule, sources: sources)
    case 4: DerivedSource<ObjectCoding>(name: name, rule: rule, sources: sources)
    default: DerivedSource<DoubleCoding>(name: name, rule: rule, sources: sources)
    }
  }

  static func makeAsync(
    _ coding: Int, name: String, _ recipe: WorldPlan.OutcomeRecipe, sources: [any Source],
    awaited: (any Outcome)?, closing: Stored<Bool>, start: @escaping @Sendable (Int) -> Void
  ) -> any Outcome {
    switch coding {
    case 0, 1:
      AsyncSource<IntegerCoding>(
        name: name, behaviour: recipe.behaviour, sources: sources, awaited: awaited,
        closing: closing, start: start)
    case 2, 3:
      AsyncSource<TextCoding>(
        name: name, behaviour: recipe.behaviour, sources: sources, awaited: awaited,
        closing: closing, start: start)
    default:
      AsyncSource<OpaqueCoding>(
        name: name, behaviour: recipe.behaviour, sources: sources, awaited: awaited,
        closing: closing, start: start)
    }
  }
}
