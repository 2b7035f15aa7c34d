#include "util/memory_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace optiks::ozks {
namespace {

constexpr std::size_t kHugePageLen = std::size_t{2} << 20;
constexpr std::size_t kPageLen = 4096;

// Returns the length to map for `bytes` octets. A length of at least one huge page is rounded up to whole huge pages.
// The additional octets are never touched, so they use no memory.
std::size_t mapped_len(std::size_t bytes) {
  return bytes < kHugePageLen ? bytes : (bytes + kHugePageLen - 1) / kHugePageLen * kHugePageLen;
}

// Maps `len` octets. If `len` is at least the length of a huge page, the range begins at a huge page's boundary.
char* map_addresses(std::size_t len, int protection, int flags) {
  // The call maps one huge page more than needed, so that an aligned range is inside. The octets before and after this
  // range are unmapped again.
  const std::size_t slack = len < kHugePageLen ? 0 : kHugePageLen;
  void* mapped = mmap(nullptr, len + slack, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (mapped == MAP_FAILED) {
    throw std::bad_alloc();
  }
  auto* const first = static_cast<char*>(mapped);
  if (slack == 0) {
    return first;
  }
  const std::size_t before = (slack - reinterpret_cast<std::uintptr_t>(first) % slack) % slack;
  char* const begin = first + before;
  if (before != 0) {
    munmap(first, before);
  }
  if (before != slack) {
    munmap(begin + len, slack - before);
  }
  return begin;
}

}  // namespace

void* map_pages(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) {
    throw std::bad_alloc();
  }
  char* const begin = map_addresses(mapped_len(bytes), PROT_READ | PROT_WRITE, 0);
#ifdef MADV_HUGEPAGE
  // The result is ignored, because the advice is only for speed: without huge pages the program works, but more slowly.
  // The advice leaves out the last, partial huge page, which would use the memory of a whole huge page.
  static_cast<void>(madvise(begin, bytes / kHugePageLen * kHugePageLen, MADV_HUGEPAGE));
#endif
  return begin;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept { munmap(pages, mapped_len(bytes)); }

void touch_pages(void* pages, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; i += kPageLen) {
    static_cast<volatile char*>(pages)[i] = 0;
  }
}

GrowingPages::GrowingPages(std::size_t capacity) : mapped_(mapped_len(capacity + kHugePageLen)) {
  data_ = map_addresses(mapped_, PROT_NONE, MAP_NORESERVE);
#ifdef MADV_NOHUGEPAGE
  static_cast<void>(madvise(data_, mapped_, MADV_NOHUGEPAGE));
#endif
}

GrowingPages::~GrowingPages() { munmap(data_, mapped_); }

void GrowingPages::grow_by_block() {
  if (usable_ + kHugePageLen > mapped_ || mprotect(data_ + usable_, kHugePageLen, PROT_READ | PROT_WRITE) != 0) {
    throw std::bad_alloc();
  }
  // The results are ignored, because this advice is only for speed: if the system does not support it, lookups are
  // slower.
#if defined(MADV_HUGEPAGE) && defined(MADV_COLLAPSE)
  if (usable_ != 0) {
    char* const full = data_ + usable_ - kHugePageLen;
    static_cast<void>(madvise(full, kHugePageLen, MADV_HUGEPAGE));
    static_cast<void>(madvise(full, kHugePageLen, MADV_COLLAPSE));
  }
#endif
  usable_ += kHugePageLen;
}

}  // namespace optiks::ozks
