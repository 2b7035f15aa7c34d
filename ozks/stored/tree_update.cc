#include "stored/tree_update.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "leaves/hash_batch.h"

namespace optiks::ozks {
namespace {

// A side of a split page that is smaller than this stays with the node above it.
constexpr std::size_t kMinPageLen = kMaxPageLen / 8;

}  // namespace

bool TreeUpdate::run(const Tree& old, std::span<const NewLeaf> leaves, Tree& out) {
  for (std::size_t i = 1; i < leaves.size(); ++i) {
    if (!(leaves[i - 1].label < leaves[i].label)) {
      return false;
    }
  }
  if (leaves.empty()) {
    out = old;
    return true;
  }
  new_leaves_ = leaves;
  Placed top{};
  if (old.root == kNoPage) {
    top = build(0, leaves.size());
  } else {
    common_.resize(leaves.size());
    on_path_.resize(leaves.size());
    std::iota(on_path_.begin(), on_path_.end(), 0U);
    refs_.push_back(old.root);
    root_ = code_of(ChildKind::kPage, 0);
    root_hash_ = old.root_hash;
    wanted_.push_back({kNoParent, 0, 0, leaves.size()});
    read_paths();
    if (std::ranges::find(common_, verify::kLabelBits) != common_.end()) {
      return false;
    }
    if (kind_of_code(root_) == ChildKind::kLeaf) {
      superseded_.push_back(old.root);
    }
    top = insert({root_, root_hash_}, 0, leaves.size());
  }
  root_ = top.code;
  root_hash_ = top.hash;
  hash_changed();
  static_cast<void>(pack(root_));
  if (kind_of_code(root_) != ChildKind::kPage) {
    // Its top was split, or it is the first.
    root_ = write_page(root_, kNoPage);
  }
  out = {refs_[index_of_code(root_)], root_hash_, old.count + leaves.size()};
  return true;
}

// First index in [first, last) whose label has bit `bit` set; they agree on all bits before.
std::size_t TreeUpdate::split(std::size_t first, std::size_t last, std::size_t bit) const {
  const auto begin = new_leaves_.begin();
  const auto at =
      std::partition_point(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
                           [&](const NewLeaf& leaf) { return !verify::bit_at(leaf.label, bit); });
  return static_cast<std::size_t>(at - begin);
}

TreeUpdate::Slot TreeUpdate::slot(std::uint32_t parent, std::size_t side) {
  return parent == kNoParent ? Slot{&root_, &root_hash_}
                             : Slot{&nodes_[parent].child[side], &nodes_[parent].hash[side]};
}

// Reads all pages that the bits of new labels lead to, level by level, and finds what each label shares with the leaf
// where they end.
void TreeUpdate::read_paths() {
  std::vector<Wanted> level;
  std::vector<PageId> ids;
  std::vector<Page> read;
  while (!wanted_.empty()) {
    level.swap(wanted_);
    wanted_.clear();
    ids.clear();
    for (const Wanted& each : level) {
      ids.push_back(refs_[index_of_code(*slot(each.parent, each.side).code)]);
    }
    read.resize(ids.size());
    pages_.read(ids, read.data());
    for (std::size_t i = 0; i < level.size(); ++i) {
      const Code top = take_apart(ids[i], read[i]);
      *slot(level[i].parent, level[i].side).code = top;
      follow(level[i].parent, level[i].side, level[i].first, level[i].last);
    }
  }
}

// The page's parts among ours; gives its top.
TreeUpdate::Code TreeUpdate::take_apart(PageId id, const Page& page) {
  const std::size_t bases[] = {nodes_.size(), leaves_.size(), refs_.size()};
  const auto ours = [&](ChildCode code) { return code_of(kind_of(code), bases[code >> 6] + index_of(code)); };
  for (std::size_t i = 0; i < page.num_nodes(); ++i) {
    const PageNode& node = page.node(i);
    nodes_.push_back(
        {{node.hash[0], node.hash[1]}, {ours(node.child[0]), ours(node.child[1])}, 0, node.length, false, kNoPage});
  }
  for (std::size_t i = 0; i < page.num_leaves(); ++i) {
    leaves_.push_back({page.leaf(i).label, base::load_be64(page.leaf(i).log_offset.data())});
  }
  for (std::size_t i = 0; i < page.num_refs(); ++i) {
    refs_.push_back(page.ref(i));
  }
  const Code top = ours(page.top());
  if (kind_of_code(top) == ChildKind::kNode) {
    nodes_[index_of_code(top)].page = id;
  }
  return top;
}

// Follows the bits of the new labels on_path_[first, last) from a slot, up to leaves and to pages that are wanted next.
void TreeUpdate::follow(std::uint32_t parent, std::size_t side, std::size_t first, std::size_t last) {
  if (first == last) {
    return;
  }
  const Code code = *slot(parent, side).code;
  const auto index = static_cast<std::uint32_t>(index_of_code(code));
  switch (kind_of_code(code)) {
    case ChildKind::kPage:
      wanted_.push_back({parent, static_cast<std::uint8_t>(side), first, last});
      break;
    case ChildKind::kLeaf:
      for (std::size_t i = first; i < last; ++i) {
        common_[on_path_[i]] =
            static_cast<std::uint32_t>(verify::common_prefix_length(label(on_path_[i]), leaves_[index].label));
      }
      break;
    case ChildKind::kNode: {
      // Not by their order: labels that left the prefix above come here as well.
      const auto begin = on_path_.begin();
      const auto at =
          std::partition(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
                         [&](std::uint32_t i) { return !verify::bit_at(label(i), nodes_[index].length); });
      const auto middle = static_cast<std::size_t>(at - begin);
      follow(index, 0, first, middle);
      follow(index, 1, middle, last);
      break;
    }
  }
}

TreeUpdate::Placed TreeUpdate::join(std::size_t length, std::size_t reached, const Placed& left, const Placed& right) {
  nodes_.push_back({{left.hash, right.hash},
                    {left.code, right.code},
                    static_cast<std::uint32_t>(reached),
                    static_cast<std::uint16_t>(length),
                    true,
                    kNoPage});
  return {code_of(ChildKind::kNode, nodes_.size() - 1), {}};
}

// The subtree of new leaves alone. first < last.
TreeUpdate::Placed TreeUpdate::build(std::size_t first, std::size_t last) {
  if (last - first == 1) {
    leaves_.push_back({label(first), new_leaves_[first].log_offset});
    return {code_of(ChildKind::kLeaf, leaves_.size() - 1), new_leaves_[first].hash};
  }
  const std::size_t length = verify::common_prefix_length(label(first), label(last - 1));
  const std::size_t middle = split(first, last, length);
  const Placed left = build(first, middle);
  const Placed right = build(middle, last);
  return join(length, first, left, right);
}

// The old subtree with new leaves [first, last), first < last, each of which goes down to this node or diverges in the
// bits of its prefix. For those that diverge here common_ is below the node's length; it is at least that for those
// that go on (a leaf's prefix is its label, from which all diverge).
TreeUpdate::Placed TreeUpdate::insert(const Placed& old, std::size_t first, std::size_t last) {
  const bool is_leaf = kind_of_code(old.code) == ChildKind::kLeaf;
  const std::size_t index = index_of_code(old.code);
  const std::size_t length = is_leaf ? verify::kLabelBits : nodes_[index].length;
  const auto lowest = std::min_element(common_.begin() + static_cast<std::ptrdiff_t>(first),
                                       common_.begin() + static_cast<std::ptrdiff_t>(last));
  const std::size_t fork = *lowest;
  if (fork < length) {
    const std::size_t middle = split(first, last, fork);
    // A label that diverges at bit `fork` is on the side where the old node is not.
    const auto diverged = static_cast<std::size_t>(lowest - common_.begin());
    const bool old_side = !verify::bit_at(label(diverged), fork);
    // The new node is the top of the page in the old one's slot.
    const PageId page = is_leaf ? kNoPage : std::exchange(nodes_[index].page, kNoPage);
    const Placed left = old_side ? build(first, middle) : with(old, first, middle);
    const Placed right = old_side ? with(old, middle, last) : build(middle, last);
    const Placed joined = join(fork, first, left, right);
    nodes_[index_of_code(joined.code)].page = page;
    return joined;
  }
  const std::size_t middle = split(first, last, length);
  for (std::size_t side = 0; side < 2; ++side) {
    const Placed child{nodes_[index].child[side], nodes_[index].hash[side]};
    const Placed now = side == 0 ? with(child, first, middle) : with(child, middle, last);
    nodes_[index].child[side] = now.code;
    nodes_[index].hash[side] = now.hash;
  }
  nodes_[index].changed = true;
  nodes_[index].reached = static_cast<std::uint32_t>(first);
  return {old.code, {}};
}

// Lists the changed nodes from a slot on by their height over unchanged ones; gives that of the slot, 0 when it is
// not changed.
std::size_t TreeUpdate::height(std::uint32_t parent, std::size_t side) {
  const Code code = *slot(parent, side).code;
  const auto index = static_cast<std::uint32_t>(index_of_code(code));
  if (kind_of_code(code) != ChildKind::kNode || !nodes_[index].changed) {
    return 0;
  }
  const std::size_t left = height(index, 0);
  const std::size_t own = std::max(left, height(index, 1)) + 1;
  if (heights_.size() < own) {
    heights_.resize(own);
  }
  heights_[own - 1].push_back({parent, static_cast<std::uint8_t>(side), 0, 0});
  return own;
}

// Hashes the changed nodes into the slots above them: those of one height do not depend on each other.
void TreeUpdate::hash_changed() {
  static_cast<void>(height(kNoParent, 0));
  HashBatch batch;
  for (const std::vector<Wanted>& level : heights_) {
    for (const Wanted& changed : level) {
      const Slot at = slot(changed.parent, changed.side);
      const Node& node = nodes_[index_of_code(*at.code)];
      batch.add_interior(node.length, label(node.reached), node.hash[0], node.hash[1], *at.hash);
    }
    batch.run();
  }
}

// Divides what is below into pages. `code` then leads to what is left of it for the page of what is above.
TreeUpdate::Packed TreeUpdate::pack(Code& code) {
  const std::size_t index = index_of_code(code);
  switch (kind_of_code(code)) {
    case ChildKind::kLeaf:
      return {sizeof(PageLeaf), false};
    case ChildKind::kPage:
      return {sizeof(PageRef), false};
    case ChildKind::kNode:
      break;
  }
  const PageId page = nodes_[index].page;
  if (page != kNoPage && !nodes_[index].changed) {
    refs_.push_back(page);
    code = code_of(ChildKind::kPage, refs_.size() - 1);
    return {sizeof(PageRef), false};
  }
  if (page != kNoPage) {
    superseded_.push_back(page);
  }
  Code child[2] = {nodes_[index].child[0], nodes_[index].child[1]};
  Packed below[2] = {pack(child[0]), pack(child[1])};
  const bool is_too_long = kPageHeaderLen + sizeof(PageNode) + below[0].len + below[1].len > kMaxPageLen;
  const bool is_split = is_too_long || below[0].is_split || below[1].is_split;
  for (std::size_t side = 0; is_split && side < 2; ++side) {
    // What is left of a split side are nodes between pages, which belong together.
    if (below[side].len >= kMinPageLen && (is_too_long || !below[side].is_split)) {
      child[side] = write_page(child[side], kNoPage);
      below[side].len = sizeof(PageRef);
    }
  }
  std::ranges::copy(child, nodes_[index].child);
  const std::size_t len = sizeof(PageNode) + below[0].len + below[1].len;
  if (page == kNoPage) {
    return {len, is_split};
  }
  if (is_split) {
    // All of the page's parts are pages now: what is left goes up, and is no split of the page there.
    return {len, false};
  }
  code = write_page(code, page);
  return {sizeof(PageRef), false};
}

// Writes the nodes from `top` down to the next pages as one page, which takes their place.
TreeUpdate::Code TreeUpdate::write_page(Code top, PageId replaces) {
  std::vector<PageNode> nodes;
  std::vector<PageLeaf> leaves;
  std::vector<PageRef> refs;
  const auto add = [&](const auto& self, Code code) -> ChildCode {
    const std::size_t index = index_of_code(code);
    switch (kind_of_code(code)) {
      case ChildKind::kLeaf: {
        PageLeaf& leaf = leaves.emplace_back();
        leaf.label = leaves_[index].label;
        base::store_be64(leaf.log_offset.data(), leaves_[index].log_offset);
        return child_code(ChildKind::kLeaf, leaves.size() - 1);
      }
      case ChildKind::kPage:
        base::store_be64(refs.emplace_back().data(), refs_[index]);
        return child_code(ChildKind::kPage, refs.size() - 1);
      case ChildKind::kNode:
        break;
    }
    const Node& node = nodes_[index];
    const std::size_t at = nodes.size();
    nodes.push_back({static_cast<std::uint8_t>(node.length), {}, {node.hash[0], node.hash[1]}});
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
  refs_.push_back(page.id);
  return code_of(ChildKind::kPage, refs_.size() - 1);
}

}  // namespace optiks::ozks
