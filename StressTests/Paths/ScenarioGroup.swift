/// Scenarios that belong together and share a process.
enum ScenarioGroup: String, CaseIterable, Codable, Sendable {
  case marks, edges, removal, steps, values
  case transactions, views, attempts, conflicts
  case publication, updates, reclamation, freeing
  case streams, buffers, waits, tracking, nestedGroups, causes, cycles
  case asyncNodes, asyncReads

  var scenarios: [Scenario] {
    switch self {
    case .marks: Scenario.marks
    case .edges: Scenario.edges
    case .removal: Scenario.removal
    case .steps: Scenario.steps
    case .values: Scenario.values
    case .transactions: Scenario.transactions
    case .views: Scenario.views
    case .attempts: Scenario.attempts
    case .conflicts: Scenario.conflicts
    case .publication: Scenario.publication
    case .updates: Scenario.updates
    case .reclamation: Scenario.reclamation
    case .freeing: Scenario.freeing
    case .streams: Scenario.streams
    case .buffers: Scenario.buffers
    case .waits: Scenario.waits
    case .tracking: Scenario.tracking
    case .nestedGroups: Scenario.nestedGroups
    case .causes: Scenario.causes
    case .cycles: Scenario.cycles
    case .asyncNodes: Scenario.asyncNodes
    case .asyncReads: Scenario.asyncReads
    }
  }
}
