import StateGraphWorlds
import Testing

/// A few worlds, always the same; `.ci/worlds` runs many.
@Suite(.serialized) struct WorldTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func `a world comes to rest and leaves nothing behind`(seed: UInt64) async {
    await #expect(processExitsWith: .success) { [seed] in
      Watchdog.start(seconds: 60)
      await World.prepare()
      await World.run(.draw(seed: seed), isSerial: seed.isMultiple(of: 4))
    }
  }
}
