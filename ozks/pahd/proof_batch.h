// ProofBatch: VRF proofs that several answers need, made in one batch. The batch keeps the proofs itself, independent
// of the cache. So an answer from a batch that ran makes only proofs that were not added.
//
// Thread safety: one thread at a time adds and runs; any number of threads find afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "directory/data.h"

namespace optiks::ozks {

// A key of a structure, and its tag in that structure.
struct NamedKey {
  std::uint8_t structure;
  ByteSpan name;
  Tag tag;
};

inline NamedKey named_key(const DirectoryData& data, std::uint8_t structure, ByteSpan name) {
  return {structure, name, data.tag(structure, name)};
}

class ProofBatch {
 public:
  // `uses_cache` false: neither the batch nor answers from it read or fill the cache.
  ProofBatch(DirectoryData& data, bool uses_cache) : data_(data), uses_cache_(uses_cache) {}

  [[nodiscard]] bool uses_cache() const { return uses_cache_; }

  // Adds the proof of a version of a key: from the cache, or otherwise run() makes it. After a failure the batch may
  // only be destroyed.
  void add(const NamedKey& key, std::uint64_t version);
  void run();
  // Returns null for an input that was not added, or whose proof was neither cached nor made.
  [[nodiscard]] const Proven* find(const Tag& input) const;

 private:
  struct Entry {
    Proven proven;
    bool is_made;
  };
  // The proofs of one structure that are still to be made.
  struct Pending {
    std::vector<Tag> inputs;
    std::vector<std::uint8_t> alphas;
    std::vector<std::size_t> ends{0};
  };

  void run(std::uint8_t structure, Pending& pending);

  DirectoryData& data_;
  bool uses_cache_;
  // Tags differ from one structure to another.
  std::unordered_map<Tag, Entry, HashOfTag> entries_;
  std::array<Pending, kNumStructures> pending_;
};

}  // namespace optiks::ozks
