// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "StateGraph",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "StateGraph", targets: ["StateGraph"]),
    .library(name: "StateGraphTesting", targets: ["StateGraphTesting"]),
    .executable(name: "FlightBoard", targets: ["FlightBoard"]),
    .executable(name: "StateGraphBenchmarks", targets: ["StateGraphBenchmarks"]),
  ],
  targets: [
    .target(name: "StateGraph"),
    .target(name: "StateGraphTesting", dependencies: ["StateGraph"]),
    .executableTarget(
      name: "FlightBoard",
      dependencies: ["StateGraph"],
      resources: [.copy("Resources")]
    ),
    // C, because Swift does not let a program define the allocator's functions.
    .target(name: "AllocationCounter"),
    .executableTarget(
      name: "StateGraphBenchmarks", dependencies: ["StateGraph", "AllocationCounter"]),
    .testTarget(name: "StateGraphTests", dependencies: ["StateGraph", "StateGraphTesting"]),
    .testTarget(
      name: "StateGraphTestingTests", dependencies: ["StateGraph", "StateGraphTesting"]),
    .testTarget(name: "FlightBoardTests", dependencies: ["FlightBoard"]),
    .testTarget(
      name: "StressTests",
      dependencies: ["StateGraph", "StateGraphTesting", "StateGraphWorlds"],
      path: "StressTests",
      exclude: ["Worlds/World", "Worlds/Runner"]
    ),
    // A random test over the whole interface: what it does, and a program that does it for hours.
    .target(
      name: "StateGraphWorlds",
      dependencies: ["StateGraph", "StateGraphTesting"],
      path: "StressTests/Worlds/World"
    ),
    .executableTarget(
      name: "Worlds",
      dependencies: ["StateGraph", "StateGraphWorlds"],
      path: "StressTests/Worlds/Runner"
    ),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    // SE-0335: an existential is spelled `any`.
    .enableUpcomingFeature("ExistentialAny"),
    // SE-0409: an import is not re-exported unless it says so.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // SE-0444: a member is visible only where its module is imported.
    .enableUpcomingFeature("MemberImportVisibility"),
    // SE-0470: conformances of isolated types are isolated.
    .enableUpcomingFeature("InferIsolatedConformances"),
  ]
}
