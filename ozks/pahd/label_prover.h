// LabelProver: provides the labels of one answer, with their VRF proofs. It takes proofs from a ProofBatch or from the
// cache, and makes all other proofs in one batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "directory/data.h"
#include "pahd/proof_batch.h"

namespace optiks::ozks {

// Says where the proofs of an answer come from.
struct ProofSource {
  const ProofBatch* batch = nullptr;  // may be null; searched before the cache
  bool may_make = true;               // if false, only proofs from the batch and the cache are used
};

class LabelProver {
 public:
  // The object keeps its labels in `memory`, which must outlive the object.
  LabelProver(DirectoryData& data, const ProofSource& source, std::pmr::memory_resource& memory)
      : data_(data), source_(source), items_(&memory) {}

  void reserve(std::size_t size) { items_.reserve(size); }
  // Adds the label of a version of a key. The octets of `key.name` must stay valid until run() returns.
  void add(const NamedKey& key, std::uint64_t version);
  // Provides the proofs of all added labels; operator[] then returns them in the order in which they were added.
  // Returns false if a proof would have to be made, but the source does not allow this.
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
  ProofSource source_;
  std::pmr::vector<Item> items_;
};

}  // namespace optiks::ozks
