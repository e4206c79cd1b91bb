#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// The number of allocations that the process has made so far, on all threads.
///
/// It stays 0 where allocations cannot be counted.
long allocationCount(void);

/// The number of bytes that are allocated at the moment, with what the allocator adds to each block.
///
/// It stays 0 where they cannot be counted.
long allocatedBytes(void);

#endif
