import StateGraph

// The ways to read several nodes at one version.

extension Reading {
  /// Nodes that are known beforehand.
  static var ofValues: [Reading] {
    [
      Reading(name: "values(of: 1 node)", counts: many) {
        let a = await makeStored()
        return { count in
          var sum = 0
          for _ in 0..<count { sum &+= await GraphSnapshot.values(of: a) }
          return sum
        }
      },
      Reading(name: "values(of: 2 nodes)", nodes: 2, counts: many) {
        let (a, b) = (await makeStored(), await makeStored())
        return { count in
          var sum = 0
          for _ in 0..<count {
            let values = await GraphSnapshot.values(of: a, b)
            sum &+= values.0 &+ values.1
          }
          return sum
        }
      },
      Reading(name: "values(of: 10 nodes)", nodes: 10, counts: (100_000, 100_000)) {
        let (a, b, c) = (await makeStored(), await makeStored(), await makeStored())
        let (d, e, f) = (await makeStored(), await makeStored(), await makeStored())
        let (g, h, i) = (await makeStored(), await makeStored(), await makeStored())
        let j = await makeStored()
        return { count in
          var sum = 0
          for _ in 0..<count {
            let values = await GraphSnapshot.values(of: a, b, c, d, e, f, g, h, i, j)
            sum &+= values.0 &+ values.1 &+ values.2 &+ values.3 &+ values.4
            sum &+= values.5 &+ values.6 &+ values.7 &+ values.8 &+ values.9
          }
          return sum
        }
      },
    ]
  }

  /// Nodes that a body reads on the actor.
  static var ofSnapshots: [Reading] {
    [1, 2, 10].map { number in
      let name = "withGraphSnapshot, \(number) \(number == 1 ? "node" : "nodes")"
      return Reading(name: name, nodes: number, counts: some) {
        var made: [Stored<Int>] = []
        for _ in 0..<number { made.append(await makeStored()) }
        let nodes = made
        return { count in
          var sum = 0
          for _ in 0..<count {
            sum &+= await withGraphSnapshot { snapshot in
              var sum = 0
              for node in nodes { sum &+= snapshot[node] }
              return sum
            }
          }
          return sum
        }
      }
    }
  }
}
