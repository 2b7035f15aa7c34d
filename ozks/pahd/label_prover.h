// LabelProver: provides the labels of one answer, with their VRF proofs. With a ProofBatch, it takes proofs from the
// batch or from the cache, and makes all other proofs together. Without one, it takes proofs only from the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "directory/data.h"
#include "pahd/proof_batch.h"

namespace optiks::ozks {

class LabelProver {
 public:
  // `batch` may be null. The object keeps its labels in `memory`, which must outlive the object.
  LabelProver(DirectoryData& data, const ProofBatch* batch, std::pmr::memory_resource& memory)
      : data_(data), batch_(batch), items_(&memory) {}

  void reserve(std::size_t size) { items_.reserve(size); }
  // Adds the label of a version of a key. The octets of `key.name` must stay valid until run() returns.
  void add(const NamedKey& key, std::uint64_t version);
  // Provides the proofs of all added labels; operator[] then returns them in the order in which they were added.
  // Returns false if there is no batch, and a proof is not cached.
  [[nodiscard]] bool run();
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] const Proven& operator[](std::size_t i) const { return items_[i].proven; }
  [[nodiscard]] std::uint8_t structure(std::size_t i) const { return items_[i].key.structure; }

 private:
  struct Item {
    NamedKey key;
    std::uint64_t version;
    bool is_missing;
    Proven proven;
  };

  DirectoryData& data_;
  const ProofBatch* batch_;
  std::pmr::vector<Item> items_;
};

}  // namespace optiks::ozks
