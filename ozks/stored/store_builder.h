// StoreBuilder: makes the trees and the key table of an empty store from any number of leaves, in any order. It sorts
// the leaves on disk. The trees get them in the order of labels, and the key table in the order of tags, so nearly
// every page is written only once.
//
// Thread safety: one thread at a time, the store's writer, may use an object.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stored/external_sort.h"
#include "stored/stored_trees.h"

namespace optiks::ozks {

class StoreBuilder final : public BulkLoad {
 public:
  // `reuses_usernames`: true if the log reassigns usernames, so that usernames have versions.
  StoreBuilder(StoredTrees& trees, bool reuses_usernames);

  void add(std::uint8_t structure, const NewLeaf& leaf, const LeafFacts& facts) override;
  void build(LeafLog& log, Workers& workers) override;

 private:
  // True if `a` comes before `b`. The function first compares the first eight octets as an integer, which nearly always
  // decides. This is faster than an array's own operator, which compares octets one by one.
  template <typename Octets>
  static bool is_before(const Octets& a, const Octets& b) {
    const std::uint64_t first_a = base::load_be64(a.data());
    const std::uint64_t first_b = base::load_be64(b.data());
    return first_a != first_b ? first_a < first_b : a < b;
  }

  struct LeafByLabel {
    Hash label;
    Hash hash;
    std::uint64_t log_offset;
    std::uint8_t structure;

    bool operator<(const LeafByLabel& other) const {
      return structure == other.structure ? is_before(label, other.label) : structure < other.structure;
    }
  };

  struct LeafByTag {
    Tag tag;
    std::uint64_t log_offset;
    std::uint64_t previous;
    std::uint32_t version;
    std::uint8_t structure;

    bool operator<(const LeafByTag& other) const {
      return tag == other.tag ? version < other.version : is_before(tag, other.tag);
    }
  };

  // A missing link: the record at `log_offset` must refer to the record at `previous`.
  struct Link {
    std::uint64_t log_offset;
    std::uint64_t previous;

    bool operator<(const Link& other) const { return log_offset < other.log_offset; }
  };

  void stage_trees(Workers& workers);
  void write_keys();
  void follow(const LeafByTag& before, const LeafByTag& leaf);

  StoredTrees& trees_;
  bool reuses_usernames_;
  ExternalSort<LeafByLabel> by_label_;
  ExternalSort<LeafByTag> by_tag_;
  ExternalSort<Link> links_;
};

}  // namespace optiks::ozks
