import Testing

/// What many tasks on real threads saw fits one order of commits, in real time.
@Suite(.serialized) struct HistoryStressTests {
  @Test func `registers of plain data`() async {
    await HistoryRounds<RegisterWorkload<Int>>(steps: 60).run(for: 5)
  }

  @Test func `registers of strings`() async {
    await HistoryRounds<RegisterWorkload<String>>(steps: 60).run(for: 5)
  }

  @Test func `registers of arrays`() async {
    await HistoryRounds<RegisterWorkload<[Int]>>(steps: 60).run(for: 5)
  }

  @Test func `registers of objects`() async {
    await HistoryRounds<RegisterWorkload<HistoryObject>>(steps: 60).run(for: 5)
  }

  @Test func `lists, some of them changed in place`() async {
    await HistoryRounds<ListWorkload>(steps: 30).run(for: 5)
  }
}
