// The snapshot's handle, and what the calls about keys share.
#pragma once

#include <memory>
#include <utility>

#include "capi_guard.h"

struct optiks_snapshot {
  explicit optiks_snapshot(std::shared_ptr<optiks::ozks::Store> store) : snapshot(std::move(store)) {}
  optiks::ozks::Snapshot snapshot;
};

namespace optiks::ozks::capi {

inline bool readable(const void* data, std::size_t len) { return data != nullptr || len == 0; }

// As read_strings, and each of them a key.
inline bool read_keys(std::size_t n, const std::uint8_t* blob, const std::uint64_t* offsets, ByteStrings& out) {
  if (!read_strings(n, blob, offsets, out)) {
    return false;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (out[i].empty() || out[i].size() > kMaxKeyLen) {
      return false;
    }
  }
  return true;
}

}  // namespace optiks::ozks::capi
