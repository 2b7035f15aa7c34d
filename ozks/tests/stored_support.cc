#include "stored_support.h"

#include <algorithm>
#include <map>

namespace optiks::ozks::test {
namespace {

class Surveyor {
 public:
  Surveyor(const NodeStore& store, const std::vector<NaiveLeaf>& all) : cache_(0), pages_(store, cache_) {
    for (const NaiveLeaf& leaf : all) {
      hashes_[leaf.label] = verify::leaf_hash(leaf.label, leaf.commitment, leaf.epoch);
    }
  }

  // Reads the subtree whose top is page `id`. Returns the hash of the subtree, and sets `label` to the label of one of
  // its leaves.
  Hash survey(PageId id, std::size_t pages_above, Hash& label) {
    Page page;
    pages_.read({&id, 1}, &page);
    ++found_.pages;
    found_.octets += page.octets().size();
    found_.depth = std::max(found_.depth, pages_above + 1);
    return survey(page, page.top(), pages_above + 1, label);
  }

  [[nodiscard]] const Census& found() const { return found_; }

 private:
  Hash survey(const Page& page, ChildCode code, std::size_t pages_above, Hash& label) {
    switch (kind_of(code)) {
      case ChildKind::kLeaf:
        ++found_.leaves;
        label = page.leaf(index_of(code)).label;
        EXPECT_EQ(base::load_be64(page.leaf(index_of(code)).log_offset.data()), locator_of(label));
        return hashes_.at(label);
      case ChildKind::kPage:
        return survey(page.ref(index_of(code)), pages_above, label);
      case ChildKind::kNode:
        break;
    }
    const PageNode& node = page.node(index_of(code));
    for (std::size_t side = 0; side < 2; ++side) {
      EXPECT_EQ(survey(page, node.child[side], pages_above, label), node.hash[side]);
      EXPECT_EQ(verify::bit_at(label, node.length), side == 1);
    }
    return verify::interior_hash(node.length, label, node.hash[0], node.hash[1]);
  }

  PageCache cache_;
  CachedPages pages_;
  std::map<Hash, Hash> hashes_;
  Census found_;
};

}  // namespace

std::vector<NewLeaf> to_stored(std::vector<NaiveLeaf> leaves) {
  std::ranges::sort(leaves, {}, &NaiveLeaf::label);
  std::vector<NewLeaf> out;
  for (const NaiveLeaf& leaf : leaves) {
    out.push_back({leaf.label, verify::leaf_hash(leaf.label, leaf.commitment, leaf.epoch), locator_of(leaf.label)});
  }
  return out;
}

Census census(const NodeStore& store, const Tree& tree, const std::vector<NaiveLeaf>& all) {
  Surveyor surveyor(store, all);
  Hash label{};
  EXPECT_EQ(tree.root == kNoPage ? verify::empty_root() : surveyor.survey(tree.root, 0, label), tree.root_hash);
  EXPECT_EQ(surveyor.found().leaves, tree.count);
  return surveyor.found();
}

std::uint64_t num_pages(const NodeStore& store) {
  std::uint64_t count = 0;
  store.scan(Table::kPages, StoreKey(std::uint64_t{0}), [&](ByteSpan, ByteSpan) {
    ++count;
    return true;
  });
  return count;
}

}  // namespace optiks::ozks::test
