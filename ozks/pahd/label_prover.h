// LabelProver: labels with their VRF proofs for one answer. A proof comes from a ProofBatch or from the cache; the
// other proofs are made in one batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "directory/data.h"
#include "pahd/proof_batch.h"

namespace optiks::ozks {

// The source of an answer's proofs.
struct ProofSource {
  const ProofBatch* batch = nullptr;  // searched first
  bool may_make = true;               // whether proofs may be made that are neither in the batch nor cached
};

class LabelProver {
 public:
  // Labels are kept in `memory`, which must outlive this object.
  LabelProver(DirectoryData& data, const ProofSource& source, std::pmr::memory_resource& memory)
      : data_(data), source_(source), items_(&memory) {}

  void reserve(std::size_t size) { items_.reserve(size); }
  // Adds a version of a key. run() reads the key's octets once more.
  void add(const NamedKey& key, std::uint64_t version);
  // Proves all added labels; operator[] then returns them in order. Returns false if a proof is missing that may not be
  // made.
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
