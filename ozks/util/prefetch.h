// Prefetches memory before it is used. A prefetch is only advice to the processor, so any address is allowed.
#pragma once

#include <cstddef>

namespace optiks::ozks {

// Prefetches the cache lines of an object that will be read soon.
inline void prefetch(const void* object, std::size_t bytes) {
  constexpr std::size_t kLineLen = 64;
  const auto* octets = static_cast<const char*>(object);
  for (std::size_t i = 0; i < bytes; i += kLineLen) {
    __builtin_prefetch(octets + i);
  }
  __builtin_prefetch(octets + bytes - 1);
}

// Prefetches the cache lines of an object that will be written soon.
inline void prefetch_to_write(void* object, std::size_t bytes) {
  auto* octets = static_cast<char*>(object);
  __builtin_prefetch(octets, 1);
  __builtin_prefetch(octets + bytes - 1, 1);
}

}  // namespace optiks::ozks
