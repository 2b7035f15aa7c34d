// TreeUpdate: a stored tree with new leaves. The pages on the paths of the new labels are read level by level and taken
// apart into nodes, changed there, hashed in batches, and packed into pages again.
//
// Thread safety: one thread.
// Packing: a page that keeps within kMaxPageLen keeps its nodes. One that does not is divided, as in a B-tree: subtrees
// of it become pages, and the nodes above them go into the page above, which may become too long in turn. So all leaves
// are about equally many pages deep, whatever the order of inserting.
#pragma once

#include <span>
#include <vector>

#include "stored/stored_tree.h"
#include "trie/tree_store.h"

namespace optiks::ozks {

class TreeUpdate {
 public:
  struct NewPage {
    PageId id;
    std::vector<std::uint8_t> octets;
    PageId replaces;  // the page whose slot it has, or kNoPage
  };

  // `next_id`: the first of the ids that new pages take; left behind the last.
  TreeUpdate(const PageReader& pages, PageId& next_id) : pages_(pages), next_id_(next_id) {}

  // The tree with the leaves added. They are sorted by label, strictly. A label that is there already (or twice) gives
  // false, and nothing else. Once.
  [[nodiscard]] bool run(const Tree& old, std::span<const NewLeaf> leaves, Tree& out);

  // What run() made: pages to put into the store, and those that are not part of the new tree any more.
  [[nodiscard]] std::vector<NewPage>& created() { return created_; }
  [[nodiscard]] const std::vector<PageId>& superseded() const { return superseded_; }

 private:
  // What is below a node: the kind in the two upper bits, an index into nodes_, leaves_ or refs_ in the others.
  using Code = std::uint32_t;
  static constexpr Code kIndexMask = (Code{1} << 30) - 1;
  static constexpr Code code_of(ChildKind kind, std::size_t index) {
    return static_cast<Code>(kind) << 30 | static_cast<Code>(index);
  }
  static constexpr ChildKind kind_of_code(Code code) { return static_cast<ChildKind>(code >> 30); }
  static constexpr std::size_t index_of_code(Code code) { return code & kIndexMask; }

  struct Node {
    Hash hash[2];
    Code child[2];
    std::uint32_t reached;  // changed: a new leaf below it, for its prefix
    std::uint16_t length;
    bool changed;
    PageId page;  // of which it is the top, or kNoPage
  };
  struct Leaf {
    Hash label;
    std::uint64_t log_offset;
  };
  // A child of a node, or the root.
  struct Slot {
    Code* code;
    Hash* hash;
  };
  // A page to read, for the new leaves on_path_[first, last), whose bits lead to it.
  struct Wanted {
    std::uint32_t parent;  // node above; kNoParent: the root
    std::uint8_t side;
    std::size_t first;
    std::size_t last;
  };
  static constexpr std::uint32_t kNoParent = ~std::uint32_t{0};

  [[nodiscard]] const Hash& label(std::size_t i) const { return new_leaves_[i].label; }
  [[nodiscard]] std::size_t split(std::size_t first, std::size_t last, std::size_t bit) const;
  [[nodiscard]] Slot slot(std::uint32_t parent, std::size_t side);

  void read_paths();
  [[nodiscard]] Code take_apart(PageId id, const Page& page);
  void follow(std::uint32_t parent, std::size_t side, std::size_t first, std::size_t last);

  struct Placed {
    Code code;
    Hash hash;  // unless the node is changed: then it comes from hash_changed()
  };
  [[nodiscard]] Placed build(std::size_t first, std::size_t last);
  [[nodiscard]] Placed insert(const Placed& old, std::size_t first, std::size_t last);
  [[nodiscard]] Placed with(const Placed& old, std::size_t first, std::size_t last) {
    return first == last ? old : insert(old, first, last);
  }
  [[nodiscard]] Placed join(std::size_t length, std::size_t reached, const Placed& left, const Placed& right);

  void hash_changed();
  [[nodiscard]] std::size_t height(std::uint32_t parent, std::size_t side);

  // What is left of a subtree for the page above.
  struct Packed {
    std::size_t len;
    bool is_split;  // parts of the same page have become pages
  };
  [[nodiscard]] Packed pack(Code& code);
  [[nodiscard]] Code write_page(Code top, PageId replaces);

  const PageReader& pages_;
  PageId& next_id_;
  std::span<const NewLeaf> new_leaves_;
  std::vector<std::uint32_t> common_;   // bits that new label i shares with the nearest old one
  std::vector<std::uint32_t> on_path_;  // new leaves: those whose bits lead to one slot are neighbours
  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  std::vector<PageId> refs_;
  std::vector<Wanted> wanted_;
  std::vector<std::vector<Wanted>> heights_;  // changed nodes by their slots, the lowest first
  Code root_ = 0;
  Hash root_hash_{};
  std::vector<NewPage> created_;
  std::vector<PageId> superseded_;
};

}  // namespace optiks::ozks
