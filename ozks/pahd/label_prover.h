// LabelProver: labels with their VRF proofs, from the cache or made in one batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "directory/directory.h"

namespace optiks::ozks {

class LabelProver {
 public:
  LabelProver(Store& store, std::uint8_t structure) : store_(store), structure_(structure) {}

  void add(ByteSpan key, std::uint64_t version);
  // Proves all that was added; operator[] then gives them in order.
  void run();
  [[nodiscard]] std::size_t size() const { return proven_.size(); }
  [[nodiscard]] const Proven& operator[](std::size_t i) const { return proven_[i]; }

 private:
  Store& store_;
  std::uint8_t structure_;
  std::vector<std::uint8_t> alphas_;
  std::vector<std::size_t> ends_{0};
  std::vector<Proven> proven_;
};

}  // namespace optiks::ozks
