// Counts the labels of an answer while the answer is planned, so that its cost is known before its proofs are made.
#pragma once

#include <cstdint>

#include "pahd/proof_batch.h"

namespace optiks::ozks {

// Takes the labels of an answer and only counts them.
class CountedLabels {
 public:
  void add(const NamedKey& /*key*/, std::uint64_t /*version*/) { ++count_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::uint64_t count_ = 0;
};

// Counts the labels of an answer and passes them on to `labels`.
template <typename Labels>
class CountingLabels {
 public:
  explicit CountingLabels(Labels& labels) : labels_(labels) {}
  void add(const NamedKey& key, std::uint64_t version) {
    labels_.add(key, version);
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  Labels& labels_;
  std::uint64_t count_ = 0;
};

}  // namespace optiks::ozks
