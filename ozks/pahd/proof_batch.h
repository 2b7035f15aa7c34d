// ProofBatch: VRF proofs that several answers need, made in one batch. The batch keeps them itself, whatever the cache
// does meanwhile, so that an answer from a batch that ran makes only proofs that were not foreseen.
//
// Thread safety: one thread at a time adds and runs; any number of threads find afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "directory/data.h"

namespace optiks::ozks {

// NamedKey: a key and its tag in the structure that is asked.
struct NamedKey {
  ByteSpan name;
  Tag tag;
};

class ProofBatch {
 public:
  // `uses_cache` false: the cache is neither read nor filled, neither here nor by answers from this batch.
  ProofBatch(DirectoryData& data, std::uint8_t structure, bool uses_cache)
      : data_(data), structure_(structure), uses_cache_(uses_cache) {}

  [[nodiscard]] bool uses_cache() const { return uses_cache_; }

  // Takes a version of a key in: from the cache, or to be made by run(). After a failure the batch is only destroyed.
  void add(const NamedKey& key, std::uint64_t version);
  void run();
  // Null for what was not added, and for what was neither cached nor made.
  [[nodiscard]] const Proven* find(const Tag& input) const;

 private:
  struct Entry {
    Proven proven;
    bool is_made;
  };
  DirectoryData& data_;
  std::uint8_t structure_;
  bool uses_cache_;
  std::unordered_map<Tag, Entry, HashOfTag> entries_;
  // Of those to be made.
  std::vector<Tag> inputs_;
  std::vector<std::uint8_t> alphas_;
  std::vector<std::size_t> ends_{0};
};

}  // namespace optiks::ozks
