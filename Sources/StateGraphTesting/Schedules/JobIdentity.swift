/// What is known of a job from outside.
struct JobIdentity {
  /// The number of the task that the job is a part of; nil for an actor that has work, and for the
  /// second half of `Task.yield()`.
  let task: UInt64?
  /// Where the job is; for a task this is the address of the task.
  let address: UInt

  /// Reads the number from the job's description, `UnownedJob(id: 12)`, the one place where the
  /// concurrency library shows it.
  init(_ job: UnownedJob) {
    // SAFETY: A job is one pointer; it is compared, and never followed.
    address = unsafeBitCast(job, to: UInt.self)
    var number: UInt64 = 0
    for byte in job.description.utf8 where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
      number = number &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
    }
    task = number == 0 ? nil : number
  }

  /// The address of the task that is running, for comparison with that of a job.
  static var addressOfCurrentTask: UInt? {
    // SAFETY: A task is one pointer; it is compared, and never followed.
    withUnsafeCurrentTask { task in task.map { unsafeBitCast($0, to: UInt.self) } }
  }
}
