#include "trie/pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace optiks::ozks {
namespace {

constexpr std::size_t kHugePageLen = std::size_t{2} << 20;

// What is mapped for so many octets; from a huge page's boundary on it is untouched address space.
std::size_t mapped_len(std::size_t bytes) {
  return bytes < kHugePageLen ? bytes : (bytes + kHugePageLen - 1) / kHugePageLen * kHugePageLen;
}

}  // namespace

void* map_pages(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) {
    throw std::bad_alloc();
  }
  const std::size_t len = mapped_len(bytes);
  // Room to begin at a huge page's boundary; what lies outside goes back.
  const std::size_t slack = bytes < kHugePageLen ? 0 : kHugePageLen;
  void* mapped = mmap(nullptr, len + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw std::bad_alloc();
  }
  if (slack == 0) {
    return mapped;
  }
  auto* const first = static_cast<char*>(mapped);
  const std::size_t before = (slack - reinterpret_cast<std::uintptr_t>(first) % slack) % slack;
  char* const begin = first + before;
  if (before != 0) {
    munmap(first, before);
  }
  if (before != slack) {
    munmap(begin + len, slack - before);
  }
#ifdef MADV_HUGEPAGE
  // Advice: a system without huge pages is slower, not wrong. Not for the last part of one, which would be used whole.
  static_cast<void>(madvise(begin, bytes / kHugePageLen * kHugePageLen, MADV_HUGEPAGE));
#endif
  return begin;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept { munmap(pages, mapped_len(bytes)); }

}  // namespace optiks::ozks
