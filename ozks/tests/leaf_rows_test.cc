// Tests that sort_rows() sorts the leaves of an epoch for all kinds of labels.
#include "leaves/leaf_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "directory_support.h"

namespace optiks::ozks::test {
namespace {

// Returns unsorted rows of all structures. The labels share their first `shared` octets, and each row has its own
// number as input index.
std::vector<optiks_leaf_t> rows_of(std::size_t n, std::size_t shared, Random& random) {
  std::vector<optiks_leaf_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Hash label = random.hash();
    std::copy(label.begin() + static_cast<std::ptrdiff_t>(shared), label.end(), rows[i].label + shared);
    const std::uint64_t structure = 1 + random.below(kNumStructures);
    rows[i].structure_and_input = static_cast<std::uint32_t>(structure << 28 | i);
  }
  return rows;
}

TEST(LeafRows, AreSortedByStructureAndLabel) {
  Random random(11);
  for (const std::size_t n : {0, 1, 2, 3, 64, 1000, 70000}) {
    for (const std::size_t shared : {0, 1, 8, 31}) {
      const std::vector<optiks_leaf_t> rows = rows_of(n, shared, random);
      std::vector<optiks_leaf_t> sorted(n);
      sort_rows(rows, sorted.data());
      std::vector<bool> seen(n);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_FALSE(i != 0 && before(sorted[i], sorted[i - 1])) << n << " rows, " << shared << " octets, at " << i;
        const std::size_t input = sorted[i].structure_and_input & 0xfffffff;
        EXPECT_FALSE(seen[input]);
        EXPECT_TRUE(std::ranges::equal(sorted[i].label, rows[input].label));
        seen[input] = true;
      }
    }
  }
}

}  // namespace
}  // namespace optiks::ozks::test
