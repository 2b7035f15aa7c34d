// Secrets: the keys of a directory.
//
// Thread safety: nothing changes after it was made.
#pragma once

#include <array>

#include "leaves/leaf_rows.h"
#include "leaves/tags.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks {

struct Secrets {
  std::array<vrf::SecretKey, kNumStructures> vrf;
  TagKey tag_key;
};

// A value that tells another tag key, and nothing else of it.
[[nodiscard]] Tag tag_check(const Secrets& secrets);

// Keeps the secrets out of the swap, as far as RLIMIT_MEMLOCK allows, and out of core dumps. They stay where they are.
void lock_memory(const Secrets& secrets);

}  // namespace optiks::ozks
