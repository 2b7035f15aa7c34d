// insert_leaves() makes the next tree in four steps. The steps overlap waits for memory, and hash many nodes at a time:
//   1. All labels walk down the old tree, several at a time, so that their memory accesses overlap (old_paths.h).
//   2. New nodes are made from the top down until few leaves are below a node. Each such range of leaves is a part: a
//      subtree that shares no new nodes with other parts, so that one thread can make it.
//   3. In each part the new nodes are made from the top down. Then they are hashed from the bottom up, one height after
//      another.
//   4. The nodes above the parts are hashed.
// On the way down, steps 2 and 3 write the tokens of the old tree, because a proof has the tokens in this order.
#include "trie/insert.h"

#include <algorithm>
#include <array>

#include "leaves/hash_batch.h"
#include "leaves/prefetch.h"
#include "optiks/base/check.h"
#include "trie/append_tokens.h"
#include "trie/old_paths.h"

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
// The length of the usual token of an interior node, whose prefix is only a few bits longer than the prefix of the node
// above.
constexpr std::size_t kUsualInteriorTokenLen = 3;

const Hash& label_of(const Nodes& nodes, const InsertedLeaf& leaf) { return nodes.leaf(leaf.id).label; }

// A subtree of the old tree with its hash, or an empty place in the old tree.
struct Old {
  NodeId node = kNoNode;
  const Hash* hash = nullptr;
  std::uint32_t known = 0;  // number of bits of the top node's prefix that its place implies
  PageMark page{};          // page mark of the node above
  bool is_opened = false;   // true if the token of the top node was written
};

// The place in the new tree to which a subtree and its hash are written: a child of a new node, or the root.
struct Slot {
  NodeId* node;
  Hash* hash;
};

// A part: the new subtree that is the old subtree with leaves [first, last) added. `slot` is its place in the new tree.
struct Part {
  Old old;
  std::size_t first;
  std::size_t last;
  Slot slot;
  std::size_t piece;  // index of the part's piece in OpenedTree, if proofs are made
};

// Makes the new nodes of one part, or the new nodes above the parts.
class Grower {
 public:
  // `opened`: receives the tokens for a proof, or null if no proof is made.
  Grower(Nodes& nodes, std::span<const InsertedLeaf> leaves, const OldPaths& old_paths, OpenedTree* opened)
      : nodes_(nodes), leaves_(leaves), old_paths_(old_paths), opened_(opened) {
    latest_.fill(kNone);
  }

  // Makes the nodes above the parts and lists these nodes in `change`. A range of at most `part_len` leaves becomes a
  // part, which is added to `parts`.
  void grow_top(const Part& whole, std::size_t part_len, Change& change, std::vector<Part>& parts) {
    part_len_ = part_len;
    parts_ = &parts;
    created_ = &change.created;
    superseded_ = &change.superseded;
    if (opened_ != nullptr) {
      tokens_ = &opened_->pieces.emplace_back();
    }
    place(whole.old, whole.first, whole.last, whole.slot);
  }

  // Makes the nodes of a part, and hashes them. Takes the ids of the new nodes from the front of `ids`, which must have
  // enough ids. Returns how many ids it took.
  std::size_t grow_part(const Part& part, std::span<const NodeId> ids, std::vector<NodeId>& superseded) {
    ids_ = ids;
    end_ = part.last;
    num_asked_for_ = part.first;
    superseded_ = &superseded;
    superseded.reserve(ids.size());
    made_.reserve(ids.size());
    if (opened_ != nullptr) {
      tokens_ = &opened_->pieces[part.piece];
      reserve_tokens(part);
    }
    place(part.old, part.first, part.last, part.slot);
    hash();
    return num_ids_;
  }

  // Hashes the new nodes. The hashes of all nodes below them must have been computed.
  void hash() {
    HashBatch batch;
    for (std::size_t height = 1; height <= highest_; ++height) {
      for (std::uint32_t i = latest_[height]; i != kNone; i = made_[i].before) {
        const Made& made = made_[i];
        batch.add_interior(made.node->length, *made.label, made.node->hash[0], made.node->hash[1], *made.hash);
      }
      batch.run();
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // A new node that has no hash yet.
  struct Made {
    const Interior* node;
    const Hash* label;     // label of a leaf below the node
    Hash* hash;            // place for the node's hash
    std::uint32_t before;  // index in made_ of the previous node of the same height
  };

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

  NodeId new_id() {
    if (created_ != nullptr) {
      if (created_->size() == created_->capacity()) {
        // The list gets room before the id is allocated. So if an allocation fails, the list has all allocated ids.
        created_->reserve(2 * created_->size() + 64);
      }
      created_->push_back(nodes_.allocate_interior());
      return created_->back();
    }
    // A new node may reuse memory that was freed long ago. Such memory is not near the other nodes and not in the
    // cache, so it is prefetched.
    constexpr std::size_t kPrefetchDistance = 8;
    if (num_ids_ + kPrefetchDistance < ids_.size()) {
      prefetch_to_write(&nodes_.new_interior(ids_[num_ids_ + kPrefetchDistance]), sizeof(Interior));
    }
    OPTIKS_CHECK(num_ids_ < ids_.size());
    return ids_[num_ids_++];
  }

  // All functions that place a subtree return the height of the nodes in it that this Grower must hash. The height is 0
  // if the slot already has its hash, or will have it when the parts are made.

  // Adds leaves [first, last) to an old subtree and writes the result to `slot`. Each leaf reaches the top node of the
  // old subtree, or diverges from that node's prefix.
  std::size_t place(const Old& old, std::size_t first, std::size_t last, const Slot& slot) {
    if (first == last) {
      // The callers never place a subtree that has neither old nodes nor new leaves.
      OPTIKS_CHECK(old.hash != nullptr);
      pass_by(old);
      *slot.node = old.node;
      *slot.hash = *old.hash;
      return 0;
    }
    if (parts_ != nullptr && last - first <= part_len_) {
      leave_to_part(old, first, last, slot);
      return 0;
    }
    if (old.node != kNoNode) {
      ask_ahead(first);
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

  // Prefetches the old nodes on the paths of leaf `i` and of the next leaves, because a walk down a path would wait for
  // each node.
  void ask_ahead(std::size_t i) {
    constexpr std::size_t kPrefetchDistance = 2;
    const std::size_t until = std::min(end_, i + 1 + kPrefetchDistance);
    if (num_asked_for_ >= until) {
      return;
    }
    for (const NodeId id : old_paths_.of(num_asked_for_, until)) {
      prefetch(&nodes_.interior(id), sizeof(Interior));
    }
    num_asked_for_ = until;
  }

  // Adds leaves to an old node. If a leaf diverges from the node's prefix, its `common` is less than the prefix's
  // length; otherwise it is at least this length. If the old node is a leaf, its prefix is its label, and all new
  // leaves diverge from it.
  std::size_t add(const Old& old, std::size_t first, std::size_t last, const Slot& slot) {
    // The leaves are sorted, so the first or the last leaf shares the fewest bits with the old node's prefix.
    const InsertedLeaf& lowest =
        std::min(leaves_[first], leaves_[last - 1],
                 [](const InsertedLeaf& a, const InsertedLeaf& b) { return a.common < b.common; });
    const std::size_t fork = lowest.common;
    open(old, first);
    const bool is_leaf = Nodes::is_leaf(old.node);
    const std::size_t length = is_leaf ? verify::kLabelBits : nodes_.interior(old.node).length;
    const PageMark page = is_leaf ? old.page : nodes_.interior(old.node).page;
    if (fork < length) {
      // A new leaf that diverges at bit `fork` and the old node are on opposite sides of the new node.
      const bool old_side = !verify::bit_at(label_of(nodes_, lowest), fork);
      const Old rest{old.node, old.hash, old.known, page, true};
      const Old nothing{.page = page};
      return join(fork, old_side ? nothing : rest, old_side ? rest : nothing, first, split(first, last, fork), last,
                  slot);
    }
    const Interior& at = nodes_.interior(old.node);
    superseded_->push_back(old.node);
    const std::uint32_t known = at.length + 1U;
    return join(length, {at.child[0], &at.hash[0], known, page}, {at.child[1], &at.hash[1], known, page}, first,
                split(first, last, length), last, slot);
  }

  // Makes a new node above two subtrees: `left` with leaves [first, middle) added, and `right` with the other leaves
  // added.
  std::size_t join(std::size_t length, const Old& left, const Old& right, std::size_t first, std::size_t middle,
                   std::size_t last, const Slot& slot) {
    const NodeId id = new_id();
    Interior& node = nodes_.new_interior(id);
    node.length = static_cast<std::uint8_t>(length);
    node.page = left.page;
    const std::size_t left_height = place(left, first, middle, {&node.child[0], &node.hash[0]});
    const std::size_t right_height = place(right, middle, last, {&node.child[1], &node.hash[1]});
    *slot.node = id;
    const std::size_t height = 1 + std::max(left_height, right_height);
    highest_ = std::max(highest_, height);
    made_.push_back({&node, &label(first), slot.hash, latest_[height]});
    latest_[height] = static_cast<std::uint32_t>(made_.size() - 1);
    return height;
  }

  void leave_to_part(const Old& old, std::size_t first, std::size_t last, const Slot& slot) {
    parts_->push_back({old, first, last, slot, 0});
    if (opened_ != nullptr) {
      // The part's tokens are the next piece. The later tokens of this Grower are a new piece after it.
      parts_->back().piece = opened_->pieces.size();
      opened_->pieces.emplace_back();
      tokens_ = &opened_->pieces.emplace_back();
    }
  }

  // Reserves memory for the part's tokens. The estimate is that each old node on a path is opened, and that no new
  // label reaches one of its two children.
  void reserve_tokens(const Part& part) {
    tokens_->octets.reserve((part.last - part.first) * (kLeafTokenLen + verify::kHashLen) +
                            old_paths_.of(part.first, part.last).size() * (kUsualInteriorTokenLen + verify::kHashLen));
    tokens_->facts.reserve(part.last - part.first);
  }

  // Writes the token of an old node that new leaves reach; `first` is the index of one of these leaves.
  void open(const Old& old, std::size_t first) {
    if (tokens_ == nullptr || old.is_opened) {
      return;
    }
    if (Nodes::is_leaf(old.node)) {
      tokens_->facts.push_back({put_leaf_token(tokens_->octets, nodes_.leaf(old.node).label), old.node});
      return;
    }
    const std::size_t length = nodes_.interior(old.node).length;
    const InsertedLeaf& leaf = leaves_[first];
    // The node's prefix is taken from the label of a leaf below the node. This is the new leaf itself or, if it
    // diverges, the old leaf that is nearest to it.
    put_interior_token(tokens_->octets, length,
                       leaf.common >= length ? label_of(nodes_, leaf) : nodes_.leaf(leaf.nearest).label, old.known);
  }

  // Writes the tokens of an old subtree that no new leaf reaches. If the token of its top node was already written,
  // writes the hashes of the children instead of the subtree's hash.
  void pass_by(const Old& old) {
    if (tokens_ == nullptr) {
      return;
    }
    if (!old.is_opened) {
      put(tokens_->octets, *old.hash);
    } else if (!Nodes::is_leaf(old.node)) {
      for (const Hash& hash : nodes_.interior(old.node).hash) {
        put(tokens_->octets, hash);
      }
    }
  }

  Nodes& nodes_;
  std::span<const InsertedLeaf> leaves_;
  const OldPaths& old_paths_;
  OpenedTree* opened_;
  OpenedTree::Piece* tokens_ = nullptr;
  // Only grow_top() uses these members.
  std::size_t part_len_ = 0;
  std::vector<Part>* parts_ = nullptr;
  std::vector<NodeId>* created_ = nullptr;
  // Only grow_part() uses these members.
  std::span<const NodeId> ids_;
  std::size_t num_ids_ = 0;        // number of ids taken from ids_
  std::size_t end_ = 0;            // index after the part's last leaf
  std::size_t num_asked_for_ = 0;  // leaves before this index were prefetched

  std::vector<NodeId>* superseded_ = nullptr;
  std::vector<Made> made_;
  // For each height, the index in made_ of the latest node. Heights are at most 256, because the prefixes on a path
  // have different lengths.
  std::array<std::uint32_t, verify::kLabelBits + 1> latest_;
  std::size_t highest_ = 0;
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
    mine.num_taken = Grower(nodes, leaves, old_paths, opened).grow_part(parts[i], ids, mine.superseded);
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
  Grower top(nodes, leaves, old_paths, opened);
  NodeId root = kNoNode;
  top.grow_top({{root_of(old), &old.root_hash}, 0, leaves.size(), {&root, &out.root_hash}, 0}, part_len, change, parts);
  grow_parts(nodes, leaves, old_paths, parts, workers, threads, change, opened);
  top.hash();
  out.root = root;
  return true;
}

}  // namespace optiks::ozks
