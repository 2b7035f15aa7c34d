// Secrets: the VRF keys and tag keys of a directory.
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

// The secrets of each structure. The secrets of the structures `devices` and `keys` change with the period; the secrets
// of `usernames` and `decommissioned` never change (docs/spec/periods.md section 2). In logs from before each structure
// had its own tag key, all four tag keys are the same.
struct Secrets {
  std::array<vrf::SecretKey, kNumStructures> vrf;
  std::array<TagKey, kNumStructures> tag_keys;

  [[nodiscard]] Tag tag(std::uint8_t structure, ByteSpan key) const {
    return tag_keys[structure_index(structure)].tag({structure, key});
  }
  // Computes the tags of many keys, which may be of different structures. The domain of an input is the number of its
  // structure. `out` has as many elements as `inputs`.
  void tag_many(std::span<const TagInput> inputs, std::span<Tag> out) const;
};

// Returns a value that differs for different tag keys, and reveals nothing else about the keys
// (docs/operations/snapshots.md section 2).
[[nodiscard]] Tag tag_check(const Secrets& secrets);

// Keeps the memory of the secrets out of core dumps and, as far as RLIMIT_MEMLOCK allows, out of swap. Afterwards the
// secrets must stay at the same address.
void lock_memory(const Secrets& secrets);

}  // namespace optiks::ozks
