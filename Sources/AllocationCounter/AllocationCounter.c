#include "AllocationCounter.h"

// A symbol of the program comes before those of shared libraries, so the Swift runtime calls these
// as well. The real functions have second names in glibc only. A sanitizer has its own allocator.
#if defined(__linux__)
#include <features.h>
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long calls;

static void countCall(void) { atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed); }

long allocationCount(void) { return atomic_load_explicit(&calls, memory_order_relaxed); }

long allocatedBytes(void) {
#if __GLIBC_PREREQ(2, 33)
  struct mallinfo2 information = mallinfo2();
  return (long)(information.uordblks + information.hblkhd);
#else
  return 0;
#endif
}

void *malloc(size_t size) {
  countCall();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  countCall();
  return __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size) {
  countCall();
  return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  countCall();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
  countCall();
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) {
    return ENOMEM;
  }
  *pointer = memory;
  return 0;
}

#else

long allocationCount(void) { return 0; }

long allocatedBytes(void) { return 0; }

#endif
