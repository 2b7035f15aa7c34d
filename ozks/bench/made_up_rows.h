// Makes leaves with random labels and tags. They are distributed like VRF labels and real tags, but take almost no time
// to make.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench_support.h"
#include "leaves/hash_batch.h"
#include "optiks/base/bytes.h"
#include "optiks/optiks.h"

namespace optiks::ozks::bench {

// The splitmix64 generator.
class Random {
 public:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  template <std::size_t N>
  void fill(std::uint8_t (&out)[N]) {
    for (std::size_t i = 0; i < N; i += 8) {
      base::store_le64(out + i, next());
    }
  }

 private:
  std::uint64_t state_ = 1;
};

// Fills `rows` with leaves of new keys for an epoch, in the order of their labels. The labels are spread over the whole
// range, and all rows have the same value.
inline void make_up(std::span<optiks_leaf_t> rows, std::uint64_t epoch, std::span<const std::uint8_t> value,
                    Random& random) {
  const std::uint64_t step = ~std::uint64_t{0} / rows.size();
  std::vector<verify::Hash> commitments(rows.size());
  HashBatch hashes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    optiks_leaf_t& row = rows[i];
    row = {};
    random.fill(row.label);
    base::store_be64(row.label, i * step + random.next() % step);
    random.fill(row.tag);
    random.fill(row.opening);
    hashes.add_commitment(row.opening, value, commitments[i]);
    row.epoch = epoch;
    row.version = 1;
    row.value_len = static_cast<std::uint32_t>(value.size());
    row.structure_and_input = std::uint32_t{OPTIKS_KEYS} << 28;
  }
  hashes.run();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(commitments[i], rows[i].commitment);
  }
}

}  // namespace optiks::ozks::bench
