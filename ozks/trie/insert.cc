// insert_leaves() makes the next tree in four steps. The steps overlap waits for memory, and hash many nodes at a time:
//   1. All labels walk down the old tree, several at a time, so that their memory accesses overlap (old_paths.h).
//   2. New nodes are made from the top down until few leaves are below a node. Each such range of leaves is a part: a
//      subtree that shares no new nodes with other parts, so that one thread can make it.
//   3. In each part the new nodes are made from the top down. Then they are hashed from the bottom up, one height after
//      another (pending_hashes.h).
//   4. The nodes above the parts are hashed.
// On the way down, steps 2 and 3 write the tokens of the old tree, because a proof has the tokens in this order
// (old_tokens.h).
#include "trie/insert.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "trie/old_paths.h"
#include "trie/old_tokens.h"
#include "trie/pending_hashes.h"
#include "util/prefetch.h"

namespace optiks::ozks {
namespace {

// The maximum number of leaves in a part. The old and new nodes of such a part fit in the processor's second-level
// cache.
constexpr std::size_t kMaxPartLen = 256;
// The number of parts for each thread, if there are several threads. With this number no thread waits long for the last
// part.
constexpr std::size_t kPartsPerThread = 8;
// The minimum number of leaves for each thread. With fewer leaves, one more thread costs more time than it saves.
constexpr std::size_t kGrain = 64;

const Hash& label_of(const Nodes& nodes, const InsertedLeaf& leaf) { return nodes.leaf(leaf.id).label; }

// The place in the new tree to which a subtree and its hash are written: a child of a new node, or the root.
struct Slot {
  NodeId* node;
  Hash* hash;
};

// A part: the new subtree that is the old subtree with leaves [first, last) added. `slot` is its place in the new tree.
struct Part {
  OldSubtree old;
  std::size_t first;
  std::size_t last;
  Slot slot;
  std::size_t piece;  // index of the part's piece in OpenedTree, if proofs are made
};

// Makes new nodes from the top down: the nodes that insert_leaves() puts on the paths of the new labels. `Self` is
// TopGrower or PartGrower, which decide where ids come from and which leaves are left to parts. hash() computes the
// hashes afterwards.
template <typename Self>
class Grower {
 public:
  // Hashes the new nodes. The hashes of all nodes below them must have been computed.
  void hash() const { hashes_.run(); }

 protected:
  Grower(Nodes& nodes, std::span<const InsertedLeaf> leaves, OpenedTree* opened, std::vector<NodeId>& superseded)
      : nodes_(nodes), leaves_(leaves), tokens_(nodes, leaves, opened), superseded_(superseded) {}

  // All functions that place a subtree return the height of the nodes in it that this object must hash. The height is 0
  // if the slot already has its hash, or will have it when the parts are made.

  // Adds leaves [first, last) to an old subtree and writes the result to `slot`. Each leaf reaches the top node of the
  // old subtree, or diverges from that node's prefix.
  std::size_t place(const OldSubtree& old, std::size_t first, std::size_t last, const Slot& slot) {
    if (first == last) {
      // The callers never place a subtree that has neither old nodes nor new leaves.
      OPTIKS_CHECK(old.hash != nullptr);
      tokens_.pass_by(old);
      *slot.node = old.node;
      *slot.hash = *old.hash;
      return 0;
    }
    if (self().leave_to_part(old, first, last, slot)) {
      return 0;
    }
    if (old.node != kNoNode) {
      self().prefetch_paths(first);
      return add(old, first, last, slot);
    }
    if (last - first == 1) {
      *slot.node = leaves_[first].id;
      *slot.hash = leaves_[first].hash;
      return 0;
    }
    const std::size_t length = verify::common_prefix_length(label(first), label(last - 1));
    return join(length, old, old, first, split(first, last, length), last, slot);
  }

  Nodes& nodes_;
  std::span<const InsertedLeaf> leaves_;
  OldTokens tokens_;
  PendingHashes hashes_;

 private:
  Self& self() { return static_cast<Self&>(*this); }

  const Hash& label(std::size_t i) const { return label_of(nodes_, leaves_[i]); }

  // Returns the first index in [first, last) whose label has bit `bit` set. All labels in the range agree on the bits
  // before `bit`.
  std::size_t split(std::size_t first, std::size_t last, std::size_t bit) const {
    const auto range = leaves_.subspan(first, last - first);
    const auto at = std::partition_point(range.begin(), range.end(), [&](const InsertedLeaf& leaf) {
      return !verify::bit_at(label_of(nodes_, leaf), bit);
    });
    return first + static_cast<std::size_t>(at - range.begin());
  }

  // Adds leaves to an old node. If a leaf diverges from the node's prefix, its `common` is less than the prefix's
  // length; otherwise it is at least this length. If the old node is a leaf, its prefix is its label, and all new
  // leaves diverge from it.
  std::size_t add(const OldSubtree& old, std::size_t first, std::size_t last, const Slot& slot) {
    // The leaves are sorted, so the first or the last leaf shares the fewest bits with the old node's prefix.
    const InsertedLeaf& lowest =
        std::min(leaves_[first], leaves_[last - 1],
                 [](const InsertedLeaf& a, const InsertedLeaf& b) { return a.common < b.common; });
    const std::size_t fork = lowest.common;
    tokens_.open(old, first);
    const bool is_leaf = Nodes::is_leaf(old.node);
    const std::size_t length = is_leaf ? verify::kLabelBits : nodes_.interior(old.node).length;
    const PageMark page = is_leaf ? old.page : nodes_.interior(old.node).page;
    if (fork < length) {
      // A new leaf that diverges at bit `fork` and the old node are on opposite sides of the new node.
      const bool old_side = !verify::bit_at(label_of(nodes_, lowest), fork);
      const OldSubtree rest{old.node, old.hash, old.known, page, true};
      const OldSubtree nothing{.page = page};
      return join(fork, old_side ? nothing : rest, old_side ? rest : nothing, first, split(first, last, fork), last,
                  slot);
    }
    const Interior& at = nodes_.interior(old.node);
    superseded_.push_back(old.node);
    const std::uint32_t known = at.length + 1U;
    return join(length, {at.child[0], &at.hash[0], known, page}, {at.child[1], &at.hash[1], known, page}, first,
                split(first, last, length), last, slot);
  }

  // Makes a new node above two subtrees: `left` with leaves [first, middle) added, and `right` with the other leaves
  // added.
  std::size_t join(std::size_t length, const OldSubtree& left, const OldSubtree& right, std::size_t first,
                   std::size_t middle, std::size_t last, const Slot& slot) {
    const NodeId id = self().new_id();
    Interior& node = nodes_.new_interior(id);
    node.length = static_cast<std::uint8_t>(length);
    node.page = left.page;
    const std::size_t left_height = place(left, first, middle, {&node.child[0], &node.hash[0]});
    const std::size_t right_height = place(right, middle, last, {&node.child[1], &node.hash[1]});
    *slot.node = id;
    const std::size_t height = 1 + std::max(left_height, right_height);
    hashes_.add(height, node, label(first), *slot.hash);
    return height;
  }

  std::vector<NodeId>& superseded_;
};

// Makes the nodes above the parts, and finds the parts.
class TopGrower : public Grower<TopGrower> {
 public:
  // A range of at most `part_len` leaves becomes a part, which is added to `parts`. The new nodes are listed in
  // `change`.
  TopGrower(Nodes& nodes, std::span<const InsertedLeaf> leaves, OpenedTree* opened, std::size_t part_len,
            Change& change, std::vector<Part>& parts)
      : Grower(nodes, leaves, opened, change.superseded),
        part_len_(part_len),
        created_(change.created),
        parts_(parts) {}

  void grow(const OldSubtree& root, const Slot& slot) {
    tokens_.begin_piece();
    place(root, 0, leaves_.size(), slot);
  }

 private:
  friend class Grower<TopGrower>;

  bool leave_to_part(const OldSubtree& old, std::size_t first, std::size_t last, const Slot& slot) {
    if (last - first > part_len_) {
      return false;
    }
    parts_.push_back({old, first, last, slot, tokens_.leave_piece()});
    return true;
  }

  NodeId new_id() {
    if (created_.size() == created_.capacity()) {
      // The list gets room before the id is allocated. So if an allocation fails, the list has all allocated ids.
      created_.reserve(2 * created_.size() + 64);
    }
    created_.push_back(nodes_.allocate_interior());
    return created_.back();
  }

  // The nodes above the parts are few, so nothing is prefetched.
  void prefetch_paths(std::size_t) {}

  std::size_t part_len_;
  std::vector<NodeId>& created_;
  std::vector<Part>& parts_;
};

// Makes the nodes of one part.
class PartGrower : public Grower<PartGrower> {
 public:
  // The ids of the new nodes are taken from the front of `ids`, which must have enough ids.
  PartGrower(Nodes& nodes, std::span<const InsertedLeaf> leaves, OpenedTree* opened, const OldPaths& old_paths,
             const Part& part, std::span<const NodeId> ids, std::vector<NodeId>& superseded)
      : Grower(nodes, leaves, opened, superseded),
        old_paths_(old_paths),
        part_(part),
        ids_(ids),
        num_prefetched_(part.first) {
    superseded.reserve(ids.size());
    hashes_.reserve(ids.size());
    tokens_.use_piece(part.piece, part.last - part.first, old_paths.of(part.first, part.last).size());
  }

  // Makes the nodes, and hashes them. Returns how many ids it took.
  std::size_t grow() {
    place(part_.old, part_.first, part_.last, part_.slot);
    hash();
    return num_ids_;
  }

 private:
  friend class Grower<PartGrower>;

  static bool leave_to_part(const OldSubtree&, std::size_t, std::size_t, const Slot&) { return false; }

  NodeId new_id() {
    // A new node may reuse memory that was freed long ago. Such memory is not near the other nodes and not in the
    // cache, so it is prefetched.
    constexpr std::size_t kPrefetchDistance = 8;
    if (num_ids_ + kPrefetchDistance < ids_.size()) {
      prefetch_to_write(&nodes_.new_interior(ids_[num_ids_ + kPrefetchDistance]), sizeof(Interior));
    }
    OPTIKS_CHECK(num_ids_ < ids_.size());
    return ids_[num_ids_++];
  }

  // Prefetches the old nodes on the paths of leaf `i` and of the next leaves, because a walk down a path would wait for
  // each node.
  void prefetch_paths(std::size_t i) {
    constexpr std::size_t kPrefetchDistance = 2;
    const std::size_t until = std::min(part_.last, i + 1 + kPrefetchDistance);
    if (num_prefetched_ >= until) {
      return;
    }
    for (const NodeId id : old_paths_.of(num_prefetched_, until)) {
      prefetch(&nodes_.interior(id), sizeof(Interior));
    }
    num_prefetched_ = until;
  }

  const OldPaths& old_paths_;
  const Part& part_;
  std::span<const NodeId> ids_;
  std::size_t num_ids_ = 0;     // number of ids taken from ids_
  std::size_t num_prefetched_;  // leaves before this index were prefetched
};

// Makes the parts. First allocates ids for the nodes of all parts and lists them in `change.created`; at the end frees
// the unused ids.
void grow_parts(Nodes& nodes, std::span<const InsertedLeaf> leaves, const OldPaths& old_paths,
                std::span<const Part> parts, Workers& workers, unsigned threads, Change& change, OpenedTree* opened) {
  struct Work {
    std::size_t first_id;
    std::size_t num_ids;
    std::size_t num_taken = 0;
    std::vector<NodeId> superseded{};
  };
  std::vector<Work> work;
  work.reserve(parts.size());
  const std::size_t first_id = change.created.size();
  std::size_t end = first_id;
  for (const Part& part : parts) {
    // A part needs at most one new node for each leaf, and one new node in place of each old node on the leaves' paths.
    const std::size_t most = part.last - part.first + old_paths.of(part.first, part.last).size();
    work.push_back({end, most});
    end += most;
  }
  nodes.allocate_interiors(end - first_id, change.created);
  workers.for_each_index(threads, parts.size(), [&](std::size_t i) {
    Work& mine = work[i];
    const auto ids = std::span<const NodeId>(change.created).subspan(mine.first_id, mine.num_ids);
    mine.num_taken = PartGrower(nodes, leaves, opened, old_paths, parts[i], ids, mine.superseded).grow();
  });
  std::size_t num_superseded = change.superseded.size();
  for (const Work& done : work) {
    num_superseded += done.superseded.size();
  }
  change.superseded.reserve(num_superseded);
  // None of the steps from here on may fail: ids that were freed are still in the list until it is shortened.
  end = first_id;
  for (const Work& done : work) {
    change.superseded.insert(change.superseded.end(), done.superseded.begin(), done.superseded.end());
    const auto ids = std::span(change.created).subspan(done.first_id, done.num_ids);
    nodes.free_interiors(ids.subspan(done.num_taken));
    for (const NodeId id : ids.first(done.num_taken)) {
      change.created[end++] = id;
    }
  }
  change.created.resize(end);
}

}  // namespace

bool insert_leaves(Nodes& nodes, const Tree& old, std::span<InsertedLeaf> leaves, Workers& workers, Tree& out,
                   Change& change, OpenedTree* opened) {
  out = {old.root, old.root_hash, old.count + leaves.size()};
  if (leaves.empty()) {
    return true;
  }
  const auto threads = static_cast<unsigned>(std::clamp<std::size_t>(leaves.size() / kGrain, 1, workers.threads()));
  OldPaths old_paths;
  if (!old_paths.find(nodes, old, leaves, workers, threads)) {
    return false;
  }
  const std::size_t part_len =
      threads == 1 ? kMaxPartLen : std::min(kMaxPartLen, leaves.size() / (kPartsPerThread * threads));
  std::vector<Part> parts;
  TopGrower top(nodes, leaves, opened, part_len, change, parts);
  NodeId root = kNoNode;
  top.grow({root_of(old), &old.root_hash}, {&root, &out.root_hash});
  grow_parts(nodes, leaves, old_paths, parts, workers, threads, change, opened);
  top.hash();
  out.root = root;
  return true;
}

}  // namespace optiks::ozks
