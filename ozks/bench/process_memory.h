// Measures the memory of the process that calls it, for benchmarks and tests.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace optiks::ozks::bench {

// Returns the size of the process's anonymous memory in octets. This size excludes memory that is mapped from files,
// which belongs to the page cache.
inline std::uint64_t anonymous_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "RssAnon:") {
      std::uint64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  }
  return 0;
}

}  // namespace optiks::ozks::bench
