// ProofBatch: makes the VRF proofs for several answers in one batch. The batch keeps the proofs itself, independent of
// the cache. So after run() has returned, an answer makes only proofs that were not added to the batch.
//
// Thread safety: one thread at a time may call add() and run(). Afterwards any number of threads may call find().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "directory/data.h"

namespace optiks::ozks {

// A key of a structure, with its tag.
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
  // If `uses_cache` is false, neither the batch nor the answers that use it read or fill the cache.
  ProofBatch(DirectoryData& data, bool uses_cache) : data_(data), uses_cache_(uses_cache) {}

  [[nodiscard]] bool uses_cache() const { return uses_cache_; }

  // Adds the proof of a version of a key. It takes the proof from the cache; if the proof is not cached, run() makes
  // it. If this function or run() throws, the batch may only be destroyed.
  void add(const NamedKey& key, std::uint64_t version);
  void run();
  // Returns the proof of the input. Returns null if the input was not added, or if its proof was not cached and run()
  // has not made it.
  [[nodiscard]] const Proven* find(const Tag& input) const;

 private:
  struct Entry {
    Proven proven;
    bool is_made;
  };
  // The inputs of one structure whose proofs run() must make.
  struct Pending {
    std::vector<Tag> inputs;
    std::vector<std::uint8_t> alphas;
    std::vector<std::size_t> ends{0};
  };

  void run(std::uint8_t structure, Pending& pending);

  DirectoryData& data_;
  bool uses_cache_;
  // One map has the entries of all structures, because the same key has different tags in different structures.
  std::unordered_map<Tag, Entry, HashOfTag> entries_;
  std::array<Pending, kNumStructures> pending_;
};

}  // namespace optiks::ozks
