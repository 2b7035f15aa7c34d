// Secrets: the keys of a directory.
//
// Thread safety: immutable after construction.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "leaves/leaf_rows.h"
#include "leaves/tags.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks {

// Each structure has its own secrets: the secrets of devices and keys change with the period, the others stay
// (docs/spec/periods.md section 2). In a log from before each structure had its own secrets, all tag keys are the same.
struct Secrets {
  std::array<vrf::SecretKey, kNumStructures> vrf;
  std::array<TagKey, kNumStructures> tag_keys;

  [[nodiscard]] Tag tag(std::uint8_t structure, ByteSpan key) const {
    return tag_keys[structure - 1U].tag({structure, key});
  }
  // Computes the tags of many keys of any structures. The domain of an input is the number of its structure. `out` has
  // as many elements as `inputs`.
  void tag_many(std::span<const TagInput> inputs, std::span<Tag> out) const;
};

// Returns a value that differs for different tag keys, and reveals nothing else about the keys
// (docs/operations/snapshots.md section 2).
[[nodiscard]] Tag tag_check(const Secrets& secrets);

// Keeps the secrets out of swap, as far as RLIMIT_MEMLOCK allows, and out of core dumps. The secrets must not be moved
// afterwards.
void lock_memory(const Secrets& secrets);

}  // namespace optiks::ozks
