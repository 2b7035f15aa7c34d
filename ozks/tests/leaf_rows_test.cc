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
std::vector<LeafRow> rows_of(std::size_t n, std::size_t shared, Random& random) {
  std::vector<LeafRow> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Hash label = random.hash();
    std::copy(label.begin() + static_cast<std::ptrdiff_t>(shared), label.end(),
              rows[i].label.begin() + static_cast<std::ptrdiff_t>(shared));
    rows[i].set_place(static_cast<std::uint8_t>(1 + random.below(kNumStructures)), i);
  }
  return rows;
}

TEST(LeafRows, AreSortedByStructureAndLabel) {
  Random random(11);
  for (const std::size_t n : {0, 1, 2, 3, 64, 1000, 70000}) {
    for (const std::size_t shared : {0, 1, 8, 31}) {
      const std::vector<LeafRow> rows = rows_of(n, shared, random);
      std::vector<LeafRow> sorted(n);
      sort_rows(rows, sorted.data());
      std::vector<bool> seen(n);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_FALSE(i != 0 && before(sorted[i], sorted[i - 1])) << n << " rows, " << shared << " octets, at " << i;
        const std::size_t input = sorted[i].input();
        EXPECT_FALSE(seen[input]);
        EXPECT_EQ(sorted[i].label, rows[input].label);
        seen[input] = true;
      }
    }
  }
}

}  // namespace
}  // namespace optiks::ozks::test
