// The VRF's input.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "optiks/base/bytes.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/facts.h"

namespace optiks::ozks::verify {

// The VRF input for a version of a key: the encoding of the structure, the key's length, the key and the version
// (docs/spec/tree.md section 1). The key may have at most kMaxKeyLen octets.
class Alpha {
 public:
  static constexpr std::size_t kMaxLen = 1 + 1 + kMaxKeyLen + 8;

  Alpha(std::uint8_t structure, base::ByteSpan key, std::uint64_t version) : len_(1 + 1 + key.size() + 8) {
    OPTIKS_CHECK(key.size() <= kMaxKeyLen);
    octets_[0] = structure;
    octets_[1] = static_cast<std::uint8_t>(key.size());
    base::store_be64(std::copy(key.begin(), key.end(), octets_.data() + 2), version);
  }

  [[nodiscard]] base::ByteSpan get() const { return {octets_.data(), len_}; }

 private:
  std::array<std::uint8_t, kMaxLen> octets_;
  std::size_t len_;
};

}  // namespace optiks::ozks::verify
