#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// The number of allocations that the process has made so far, on all threads.
///
/// It stays 0 where allocations cannot be counted.
long allocationCount(void);

#endif
