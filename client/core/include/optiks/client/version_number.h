// The number of a version of a key or of a device list.
#pragma once

#include <cstdint>

namespace optiks::client {

// The numbers of versions start at 1 in each period. Version 0 means that there is no version yet.
struct VersionNumber {
  std::uint64_t period = 0;
  std::uint64_t version = 0;

  bool operator==(const VersionNumber&) const = default;
};

}  // namespace optiks::client
