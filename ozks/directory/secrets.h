// Secrets: the keys of a directory.
//
// Thread safety: nothing changes after it was made.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "leaves/leaf_rows.h"
#include "leaves/tags.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks {

// Each structure has secrets of its own, so that those of devices and keys change with the period while the others stay
// (docs/spec/periods.md section 2). In a log from before that all tag keys are one.
struct Secrets {
  std::array<vrf::SecretKey, kNumStructures> vrf;
  std::array<TagKey, kNumStructures> tag_keys;

  [[nodiscard]] Tag tag(std::uint8_t structure, ByteSpan key) const {
    return tag_keys[structure - 1U].tag({structure, key});
  }
  // The same for many keys of any structures, whose numbers are the inputs' domains; `out` has as many elements.
  void tag_many(std::span<const TagInput> inputs, std::span<Tag> out) const;
};

// A value that tells other tag keys, and nothing else of them (docs/operations/snapshots.md section 2).
[[nodiscard]] Tag tag_check(const Secrets& secrets);

// Keeps the secrets out of the swap, as far as RLIMIT_MEMLOCK allows, and out of core dumps. They stay where they are.
void lock_memory(const Secrets& secrets);

}  // namespace optiks::ozks
