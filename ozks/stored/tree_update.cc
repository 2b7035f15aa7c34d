#include "stored/tree_update.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "trie/insert.h"

namespace optiks::ozks {
namespace {

// When a page is split, a subtree that is smaller than this does not become a page; it stays with the node above it.
constexpr std::size_t kMinPageLen = kMaxPageLen / 8;

PageMark mark_of(std::size_t number) {
  OPTIKS_CHECK(number >> 24 == 0);
  return {static_cast<std::uint8_t>(number >> 16), static_cast<std::uint8_t>(number >> 8),
          static_cast<std::uint8_t>(number)};
}

std::size_t number_of(const PageMark& mark) {
  return std::size_t{mark[0]} << 16 | std::size_t{mark[1]} << 8 | std::size_t{mark[2]};
}

}  // namespace

bool TreeUpdate::run(const Tree& old, std::span<const NewLeaf> leaves, Workers& workers, Tree& out) {
  if (leaves.empty()) {
    out = old;
    return true;
  }
  nodes_.clear();
  if (old.root != kNoPage) {
    root_ = add_ref(old.root);
    read_paths(leaves);
    if (Nodes::is_leaf(root_)) {
      superseded_.push_back(old.root);
    }
  }
  std::vector<InsertedLeaf> inserted;
  inserted.reserve(leaves.size());
  for (const NewLeaf& leaf : leaves) {
    Leaf node{leaf.label, {}};
    node.set_log_offset(leaf.log_offset);
    inserted.push_back({.id = nodes_.add_leaf(node), .hash = leaf.hash});
  }
  Tree next;
  Change change;
  if (!insert_leaves(nodes_, {root_, old.root_hash, old.count}, inserted, workers, next, change)) {
    return false;
  }
  // The first created node has the smallest id, because no ids were free and new ids count up.
  first_new_ = change.created.empty() ? kNoNode : change.created.front();
  root_ = root_of(next);
  static_cast<void>(pack(root_, {}));
  if (!is_ref(root_)) {
    // The rest of the tree becomes the top page, because the old top page was split or the tree had no page.
    root_ = write_page(root_, kNoPage);
  }
  out = {ref(root_), next.root_hash, next.count};
  return true;
}

NodeId TreeUpdate::add_ref(PageId id) {
  refs_.push_back(id);
  return kRefBit | static_cast<NodeId>(refs_.size() - 1);
}

// Decodes into nodes all pages on the paths of the new labels, level by level.
void TreeUpdate::read_paths(std::span<const NewLeaf> leaves) {
  // The position that a label has reached in the tree.
  struct End {
    NodeId* slot;
    int length;  // prefix length of the node above
  };
  std::vector<End> ends(leaves.size(), {&root_, -1});
  std::vector<NodeId*> wanted;
  std::vector<PageId> ids;
  std::vector<Page> read;
  for (;;) {
    wanted.clear();
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      End& end = ends[i];
      while (!Nodes::is_leaf(*end.slot) && !is_ref(*end.slot)) {
        Interior& node = nodes_.new_interior(*end.slot);
        if (node.length <= end.length) {
          throw_misplaced_page();
        }
        end = {&node.child[verify::bit_at(leaves[i].label, node.length) ? 1 : 0], node.length};
      }
      if (is_ref(*end.slot)) {
        wanted.push_back(end.slot);
      }
    }
    if (wanted.empty()) {
      return;
    }
    std::ranges::sort(wanted);
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    ids.clear();
    for (const NodeId* slot : wanted) {
      ids.push_back(ref(*slot));
    }
    read.resize(ids.size());
    pages_.read(ids, read.data());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      *wanted[i] = take_apart(ids[i], read[i]);
    }
  }
}

// Decodes the page's parts into nodes, and returns the top node.
NodeId TreeUpdate::take_apart(PageId id, const Page& page) {
  taken_apart_.push_back(id);
  const PageMark mark = mark_of(taken_apart_.size());
  parts_.clear();
  nodes_.allocate_interiors(page.num_nodes(), parts_);
  for (std::size_t i = 0; i < page.num_leaves(); ++i) {
    const PageLeaf& leaf = page.leaf(i);
    Leaf node{leaf.label, {}};
    node.set_log_offset(base::load_be64(leaf.log_offset.data()));
    parts_.push_back(nodes_.add_leaf(node));
  }
  for (std::size_t i = 0; i < page.num_refs(); ++i) {
    parts_.push_back(add_ref(page.ref(i)));
  }
  const std::size_t firsts[] = {0, page.num_nodes(), page.num_nodes() + page.num_leaves()};
  const auto part = [&](ChildCode code) {
    return parts_[firsts[static_cast<std::size_t>(kind_of(code))] + index_of(code)];
  };
  for (std::size_t i = 0; i < page.num_nodes(); ++i) {
    const PageNode& node = page.node(i);
    nodes_.new_interior(parts_[i]) = {
        {node.hash[0], node.hash[1]}, {part(node.child[0]), part(node.child[1])}, node.length, mark};
  }
  return part(page.top());
}

// Divides the subtree at `id` into pages. `above`: the mark of the node above. Afterwards `id` names the part of the
// subtree that goes into the page of the node above.
TreeUpdate::Packed TreeUpdate::pack(NodeId& id, const PageMark& above) {
  if (Nodes::is_leaf(id)) {
    return {sizeof(PageLeaf), false};
  }
  if (is_ref(id)) {
    return {sizeof(PageRef), false};
  }
  Interior& node = nodes_.new_interior(id);
  // The decoded page that the subtree at this node replaces; kNoPage if the node was in the same page as the node
  // above.
  const PageId page = node.page == above ? kNoPage : taken_apart_[number_of(node.page) - 1];
  if (page != kNoPage) {
    if (id < first_new_) {
      id = add_ref(page);
      return {sizeof(PageRef), false};
    }
    superseded_.push_back(page);
  }
  Packed below[2] = {pack(node.child[0], node.page), pack(node.child[1], node.page)};
  const bool is_too_long = kPageHeaderLen + sizeof(PageNode) + below[0].len + below[1].len > kMaxPageLen;
  const bool is_split = is_too_long || below[0].is_split || below[1].is_split;
  for (std::size_t side = 0; is_split && side < 2; ++side) {
    // If a side was split, its remaining nodes are above the pages that were split off. They stay together with this
    // node unless the page is too long.
    if (below[side].len >= kMinPageLen && (is_too_long || !below[side].is_split)) {
      node.child[side] = write_page(node.child[side], kNoPage);
      below[side].len = sizeof(PageRef);
    }
  }
  const std::size_t len = sizeof(PageNode) + below[0].len + below[1].len;
  if (page == kNoPage) {
    return {len, is_split};
  }
  if (is_split) {
    // Subtrees of the page have become pages, and the rest goes into the page above. This does not count as a split of
    // the page above.
    return {len, false};
  }
  id = write_page(id, page);
  return {sizeof(PageRef), false};
}

// Writes the nodes from `top` down to the next pages as one page. Returns a reference to the new page.
NodeId TreeUpdate::write_page(NodeId top, PageId replaces) {
  std::vector<PageNode> nodes;
  std::vector<PageLeaf> leaves;
  std::vector<PageRef> refs;
  const auto add = [&](const auto& self, NodeId id) -> ChildCode {
    if (Nodes::is_leaf(id)) {
      PageLeaf& leaf = leaves.emplace_back();
      leaf.label = nodes_.leaf(id).label;
      base::store_be64(leaf.log_offset.data(), nodes_.leaf(id).log_offset());
      return child_code(ChildKind::kLeaf, leaves.size() - 1);
    }
    if (is_ref(id)) {
      base::store_be64(refs.emplace_back().data(), ref(id));
      return child_code(ChildKind::kPage, refs.size() - 1);
    }
    const Interior& node = nodes_.interior(id);
    const std::size_t at = nodes.size();
    nodes.push_back({node.length, {}, {node.hash[0], node.hash[1]}});
    for (std::size_t side = 0; side < 2; ++side) {
      const ChildCode child = self(self, node.child[side]);
      nodes[at].child[side] = child;
    }
    return child_code(ChildKind::kNode, at);
  };
  const ChildCode top_code = add(add, top);
  NewPage& page = created_.emplace_back();
  page.id = next_id_++;
  page.replaces = replaces;
  std::vector<std::uint8_t>& octets = page.octets;
  octets.resize(kPageChecksumLen);
  octets.insert(octets.end(), {top_code, static_cast<std::uint8_t>(nodes.size()),
                               static_cast<std::uint8_t>(leaves.size()), static_cast<std::uint8_t>(refs.size())});
  const auto append = [&](const auto& parts) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(parts.data());
    octets.insert(octets.end(), begin, begin + std::span(parts).size_bytes());
  };
  append(nodes);
  append(leaves);
  append(refs);
  base::store_be32(octets.data(), page_checksum(page.id, octets));
  return add_ref(page.id);
}

}  // namespace optiks::ozks
