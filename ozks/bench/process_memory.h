// What a benchmark or a test measures of its own process.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace optiks::ozks::bench {

// Memory in octets that is no file's: what is mapped from files is the page cache's.
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
