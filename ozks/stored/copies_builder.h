// CopiesBuilder: makes the trees and the keys of `devices` and `keys` from the copies with which a period begins. It
// sorts the rows of copies by label on disk, so that the last row of each label is found without a table. A
// StoreBuilder then gets the copies that are in force.
//
// Thread safety: one thread at a time, the store's writer, may use an object.
#pragma once

#include <cstdint>
#include <vector>

#include "stored/external_sort.h"
#include "stored/stored_trees.h"

namespace optiks::ozks {

class CopiesBuilder final : public BulkCopies {
 public:
  explicit CopiesBuilder(StoredTrees& trees);

  void add(std::uint8_t structure, const NewLeaf& leaf) override;
  void remove(std::uint8_t structure, const Hash& label, const Tag& tag, std::uint64_t log_size) override;
  void find(std::uint8_t structure, ByteSpan label, std::vector<std::uint64_t>& out) const override;
  void build(LeafLog& log, Workers& workers) override;

 private:
  // A row of copies. A removal comes before the copies that are added after it, whose records begin at its `log_offset`
  // or later.
  struct Row {
    Hash label;
    Hash hash;  // of the leaf
    Tag tag;
    std::uint64_t log_offset;  // of the copy's record; in a removal, the length of the log
    std::uint8_t structure;
    bool is_copy;

    bool operator<(const Row& other) const;
  };
  // True if the label of `a` comes before the label of `b`.
  [[nodiscard]] static bool is_label_before(const Row& a, const Row& b);

  StoredTrees& trees_;
  ExternalSort<Row> rows_;
};

}  // namespace optiks::ozks
