// How the next tree is made. The algorithm hides the latency of memory, and hashes many nodes at a time:
//   1. All labels walk down the old tree, several at a time, so that their memory accesses overlap (old_paths.h).
//   2. The new nodes above ranges of few leaves are made, from the top down. Each range is a part: a subtree that
//      shares nothing with the others, for one thread.
//   3. In each part the new nodes are made from the top down, and hashed from the bottom up, height by height.
//   4. The nodes above the parts are hashed.
// Steps 2 and 3 write the tokens of the old tree on the way down: this is the order of tokens in a proof.
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

// The maximum number of leaves of a part. A part of this size stays, with its old and new nodes, in the second-level
// cache.
constexpr std::size_t kMaxPartLen = 256;
// The number of parts for each of several threads: enough that no thread waits long for the last part.
constexpr std::size_t kPartsPerThread = 8;
// For fewer than twice as many leaves a second thread costs more than it saves.
constexpr std::size_t kGrain = 64;
// The length of the token of a node whose prefix is one or a few bits longer than that of the node above it.
constexpr std::size_t kUsualInteriorTokenLen = 3;

const Hash& label_of(const Nodes& nodes, const InsertedLeaf& leaf) { return nodes.leaf(leaf.id).label; }

// A subtree of the old tree, with its hash, or nothing.
struct Old {
  NodeId node = kNoNode;
  const Hash* hash = nullptr;
  std::uint32_t known = 0;  // number of bits of its prefix that follow from its slot
  PageMark page{};          // mark of the node above
  bool is_opened = false;   // whether the token of its top node is already written
};

// A reference to a subtree of the new tree: a child of its parent, or the tree's root.
struct Slot {
  NodeId* node;
  Hash* hash;
};

// The new subtree that replaces an old one when leaves [first, last) are added, and its slot.
struct Part {
  Old old;
  std::size_t first;
  std::size_t last;
  Slot slot;
  std::size_t piece;  // piece of the opened tree, if the caller wants that tree
};

// Makes the new nodes of one part, or the new nodes above the parts.
class Grower {
 public:
  // `opened`: null if no tokens are wanted.
  Grower(Nodes& nodes, std::span<const InsertedLeaf> leaves, const OldPaths& old_paths, OpenedTree* opened)
      : nodes_(nodes), leaves_(leaves), old_paths_(old_paths), opened_(opened) {
    latest_.fill(kNone);
  }

  // Makes the nodes above ranges of at most part_len leaves, which become parts, and lists them in `change`.
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

  // Makes a part with its hashes. Takes the ids of its nodes from the front of `ids`, which has enough ids; returns the
  // number of ids that it took.
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

  // Hashes the new nodes; everything below them must have its hash.
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

  // A new node whose hash is to be computed.
  struct Made {
    const Interior* node;
    const Hash* label;     // label of a leaf below the node
    Hash* hash;            // where the node's hash goes
    std::uint32_t before;  // index of the previous node of the same height
  };

  const Hash& label(std::size_t i) const { return label_of(nodes_, leaves_[i]); }

  // Returns the first index in [first, last) whose label has bit `bit` set. The labels agree on all bits before `bit`.
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
        // The list grows before the id is allocated, so that after a failure every allocated id is listed.
        created_->reserve(2 * created_->size() + 64);
      }
      created_->push_back(nodes_.allocate_interior());
      return created_->back();
    }
    // The memory of the new node may have been freed some time ago, and then is neither near the other nodes nor in the
    // cache.
    constexpr std::size_t kPrefetchDistance = 8;
    if (num_ids_ + kPrefetchDistance < ids_.size()) {
      prefetch_to_write(&nodes_.new_interior(ids_[num_ids_ + kPrefetchDistance]), sizeof(Interior));
    }
    OPTIKS_CHECK(num_ids_ < ids_.size());
    return ids_[num_ids_++];
  }

  // All functions that place a subtree return the height of the nodes that have no hash yet. The height is 0 if the
  // slot is complete, or will be complete when the parts are.

  // Places an old subtree with leaves [first, last) added. Each leaf reaches its top node or diverges in the bits of
  // that node's prefix.
  std::size_t place(const Old& old, std::size_t first, std::size_t last, const Slot& slot) {
    if (first == last) {
      // A slot with neither old nodes nor new leaves is not placed.
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

  // Prefetches the old nodes on the paths of leaf i and of the next leaves: a walk down a path waits for each node.
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

  // For leaves that diverge at the old node, `common` is below the node's length; for the other leaves, `common` is at
  // least this length. (The prefix of an old leaf is its label, from which all new leaves diverge.)
  std::size_t add(const Old& old, std::size_t first, std::size_t last, const Slot& slot) {
    // The leaves are sorted, so the first or the last one shares the fewest bits with the old node.
    const InsertedLeaf& lowest =
        std::min(leaves_[first], leaves_[last - 1],
                 [](const InsertedLeaf& a, const InsertedLeaf& b) { return a.common < b.common; });
    const std::size_t fork = lowest.common;
    open(old, first);
    const bool is_leaf = Nodes::is_leaf(old.node);
    const std::size_t length = is_leaf ? verify::kLabelBits : nodes_.interior(old.node).length;
    const PageMark page = is_leaf ? old.page : nodes_.interior(old.node).page;
    if (fork < length) {
      // A label that diverges at bit `fork` is on the opposite side of the old node.
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
      // The part's tokens come next, and then more tokens of this Grower.
      parts_->back().piece = opened_->pieces.size();
      opened_->pieces.emplace_back();
      tokens_ = &opened_->pieces.emplace_back();
    }
  }

  // Estimates the size of the part's tokens: each old node on a path is opened, and has another node below it that no
  // new label reaches.
  void reserve_tokens(const Part& part) {
    tokens_->octets.reserve((part.last - part.first) * (kLeafTokenLen + verify::kHashLen) +
                            old_paths_.of(part.first, part.last).size() * (kUsualInteriorTokenLen + verify::kHashLen));
    tokens_->facts.reserve(part.last - part.first);
  }

  // Writes the token of an old node that leaves reach, one of which is `first`.
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
    // Any leaf below the old node has the node's prefix, and the old leaf nearest to the new leaf is below the node.
    put_interior_token(tokens_->octets, length,
                       leaf.common >= length ? label_of(nodes_, leaf) : nodes_.leaf(leaf.nearest).label, old.known);
  }

  // Writes the tokens of an old subtree that no leaf reaches, except those for which its top node was opened.
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
  // These members are used only above the parts.
  std::size_t part_len_ = 0;
  std::vector<Part>* parts_ = nullptr;
  std::vector<NodeId>* created_ = nullptr;
  // These members are used only in a part.
  std::span<const NodeId> ids_;
  std::size_t num_ids_ = 0;        // number of ids that were taken
  std::size_t end_ = 0;            // the part's last leaf is before it
  std::size_t num_asked_for_ = 0;  // leaves before this index were prefetched

  std::vector<NodeId>* superseded_ = nullptr;
  std::vector<Made> made_;
  // For each height, the latest node in made_. There are at most as many heights as prefix lengths.
  std::array<std::uint32_t, verify::kLabelBits + 1> latest_;
  std::size_t highest_ = 0;
};

// Makes the parts. The function first allocates and lists the ids for all parts, and returns unused ids at the end.
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
    // Each leaf adds one node, and each old node on its path is replaced.
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
  // No step after this one can fail, because a returned id is no longer listed.
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
