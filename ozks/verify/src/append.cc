// A single walk computes the roots of all epochs. It walks the tree of the last epoch, and computes for each node the
// list of the hashes that the node had in the epochs of the range (Change). A list begins with the epoch in which the
// subtree got its first leaf. A parent's list is merged from the lists of its two children. In epochs in which both
// children have leaves, the parent's hash is the hash of an interior node. In epochs in which only one child has
// leaves, the parent's entry is that child's hash. The root's entry for epoch a is the old root.
#include "optiks/ozks/verify/append.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "optiks/base/check.h"
#include "try.h"

namespace optiks::ozks::verify {
namespace {

constexpr std::uint8_t kTokenInterior = 1;
constexpr std::uint8_t kTokenLeaf = 2;

// The maximum number of interior nodes on a path, because their prefix lengths differ and are in 0..255.
constexpr std::size_t kMaxDepth = 256;

// The leaves that the proof lists, or a contiguous part of them. They are sorted, so the leaves below a prefix are
// contiguous.
class Leaves {
 public:
  explicit Leaves(ByteSpan octets) : octets_(octets) {}

  [[nodiscard]] std::size_t size() const { return octets_.size() / kAddedLeafLen; }
  [[nodiscard]] bool empty() const { return octets_.empty(); }
  [[nodiscard]] ByteSpan label(std::size_t i) const { return octets_.subspan(i * kAddedLeafLen, 32); }
  [[nodiscard]] ByteSpan commitment(std::size_t i) const { return octets_.subspan(i * kAddedLeafLen + 32, 32); }
  [[nodiscard]] std::uint8_t offset(std::size_t i) const { return octets_[i * kAddedLeafLen + 64]; }

  // Returns the leaves whose labels have 0 as bit `bit`, and the leaves whose labels have 1 as this bit. All labels
  // must agree on the bits before it.
  [[nodiscard]] std::array<Leaves, 2> split(std::size_t bit) const {
    std::size_t low = 0;
    std::size_t high = size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (bit_at(label(middle), bit)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return {Leaves(octets_.first(low * kAddedLeafLen)), Leaves(octets_.subspan(low * kAddedLeafLen))};
  }

  // Returns the minimum, over all leaves, of the length of the prefix that a leaf's label shares with the position. The
  // leaves are sorted, so the first or the last leaf has this minimum.
  [[nodiscard]] std::size_t divergence(ByteSpan position) const {
    return std::min(common_prefix_length(label(0), position), common_prefix_length(label(size() - 1), position));
  }

  [[nodiscard]] bool contains(ByteSpan wanted) const {
    std::size_t low = 0;
    std::size_t high = size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const int order = std::memcmp(label(middle).data(), wanted.data(), kHashLen);
      if (order == 0) {
        return true;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return false;
  }

 private:
  ByteSpan octets_;
};

// A node of the old tree that added leaves reach. The proof opens such a node, so its position is known. If the node is
// a leaf, `position` is its label and `length` is 256.
struct OldNode {
  Hash position{};
  std::size_t length = 0;
  Hash leaf{};
};

}  // namespace

std::optional<AppendWorkspace> AppendWorkspace::create(std::size_t num_epochs) {
  OPTIKS_CHECK(num_epochs >= 1 && num_epochs <= kMaxRangeEpochs);
  // The stack must have room for a finished list at each depth, for two lists that are being merged, and for the merged
  // list. A list has an entry for each epoch of the range, and an entry for epoch a.
  const std::size_t capacity = (kMaxDepth + 3) * (num_epochs + 1);
  std::unique_ptr<Change[]> changes(new (std::nothrow) Change[capacity]);
  if (!changes) {
    return std::nullopt;
  }
  return AppendWorkspace(std::move(changes), capacity);
}

// The walk of one proof. The workspace is a stack of lists of changes. Each function that computes a subtree pushes
// exactly the list of this subtree. The recursion ends, because the prefix length increases at each level.
class AppendWalk {
 public:
  AppendWalk(AppendWorkspace& workspace, std::uint64_t first_epoch, ByteSpan opened)
      : stack_(workspace.changes_.get(), workspace.capacity_), first_epoch_(first_epoch), rest_(opened) {}

  // Walks the old tree from its root and adds the leaves, of which there must be at least one.
  Reason old_tree(const Leaves& leaves) {
    OPTIKS_TRY(node({}, 0, leaves));
    return rest_.empty() ? Reason::kValid : Reason::kAppendTrailing;
  }

  // Computes a subtree that has only new leaves. There must be at least one leaf.
  void new_subtree(const Leaves& leaves) {
    if (leaves.size() == 1) {
      const std::uint8_t offset = leaves.offset(0);
      push(offset + 1U, leaf_hash(leaves.label(0), leaves.commitment(0), first_epoch_ + 1 + offset));
      return;
    }
    const ByteSpan position = leaves.label(0);
    const std::size_t length = leaves.divergence(position);
    const auto sides = leaves.split(length);
    const std::size_t left = size_;
    new_subtree(sides[0]);
    const std::size_t right = size_;
    new_subtree(sides[1]);
    merge(left, right, length, position);
  }

  // Returns the root in epoch a + j; call it after the walk. In epochs before the first leaf this is the root of an
  // empty tree.
  [[nodiscard]] Hash root(std::size_t j) const {
    const auto list = stack_.first(size_);
    const auto later = std::ranges::find_if(list, [&](const auto& change) { return change.from > j; });
    return later == list.begin() ? empty_root() : std::prev(later)->hash;
  }

 private:
  using Change = AppendWorkspace::Change;

  bool take(std::size_t count, ByteSpan& out) {
    if (count > rest_.size()) {
      return false;
    }
    out = rest_.first(count);
    rest_ = rest_.subspan(count);
    return true;
  }

  void push(std::size_t from, const Hash& hash) {
    OPTIKS_CHECK(size_ < stack_.size());
    stack_[size_++] = {static_cast<std::uint16_t>(from), hash};
  }

  // Walks an old node and adds the leaves that reach it. The node's place implies the first `length` bits of its
  // position, which are in `prefix`.
  Reason node(const Hash& prefix, std::size_t length, const Leaves& leaves) {
    ByteSpan octets;
    if (leaves.empty()) {
      if (!take(kHashLen, octets)) {
        return Reason::kAppendTruncated;
      }
      Hash stub;
      std::ranges::copy(octets, stub.begin());
      push(0, stub);
      return Reason::kValid;
    }
    if (!take(1, octets)) {
      return Reason::kAppendTruncated;
    }
    OldNode opened;
    switch (octets[0]) {
      case kTokenInterior:
        OPTIKS_TRY(read_interior(prefix, length, opened));
        break;
      case kTokenLeaf:
        OPTIKS_TRY(read_leaf(prefix, length, leaves, opened));
        break;
      default:
        return Reason::kAppendToken;
    }
    return spread(opened, leaves);
  }

  Reason read_interior(const Hash& prefix, std::size_t length, OldNode& out) {
    ByteSpan octets;
    if (!take(1, octets)) {
      return Reason::kAppendTruncated;
    }
    out.length = octets[0];
    if (out.length < length) {
      return Reason::kAppendPrefix;
    }
    const std::size_t num_bits = out.length - length;
    if (!take((num_bits + 7) / 8, octets)) {
      return Reason::kAppendTruncated;
    }
    for (std::size_t i = num_bits; i < 8 * octets.size(); ++i) {
      if (bit_at(octets, i)) {
        return Reason::kAppendPrefix;
      }
    }
    out.position = prefix;
    for (std::size_t i = 0; i < num_bits; ++i) {
      if (bit_at(octets, i)) {
        set_bit(out.position, length + i);
      }
    }
    return Reason::kValid;
  }

  Reason read_leaf(const Hash& prefix, std::size_t length, const Leaves& leaves, OldNode& out) {
    ByteSpan label;
    ByteSpan commitment;
    ByteSpan epoch;
    if (!take(32, label) || !take(32, commitment) || !take(8, epoch)) {
      return Reason::kAppendTruncated;
    }
    if (prefix_of(label, length) != prefix) {
      return Reason::kAppendPosition;
    }
    if (leaves.contains(label)) {
      return Reason::kAppendExists;
    }
    std::ranges::copy(label, out.position.begin());
    out.length = kLabelBits;
    out.leaf = leaf_hash(label, commitment, base::load_be64(epoch.data()));
    return Reason::kValid;
  }

  // Adds leaves to an opened node. Some of them may diverge from the node's prefix.
  Reason spread(const OldNode& old, const Leaves& leaves) {
    const std::size_t parting = leaves.empty() ? kLabelBits : leaves.divergence(old.position);
    if (parting >= old.length) {
      return old.length == kLabelBits ? old_leaf(old) : children(old, leaves);
    }
    const auto sides = leaves.split(parting);
    const std::size_t old_side = bit_at(old.position, parting) ? 1 : 0;
    const std::size_t left = size_;
    std::size_t right = left;
    for (std::size_t side = 0; side < 2; ++side) {
      right = side == 1 ? size_ : right;
      if (side != old_side) {
        new_subtree(sides[side]);
        continue;
      }
      OPTIKS_TRY(spread(old, sides[side]));
    }
    merge(left, right, parting, old.position);
    return Reason::kValid;
  }

  Reason old_leaf(const OldNode& old) {
    push(0, old.leaf);
    return Reason::kValid;
  }

  Reason children(const OldNode& old, const Leaves& leaves) {
    const auto sides = leaves.empty() ? std::array{leaves, leaves} : leaves.split(old.length);
    const std::size_t left = size_;
    OPTIKS_TRY(node(old.position, old.length + 1, sides[0]));
    const std::size_t right = size_;
    Hash below = old.position;
    set_bit(below, old.length);
    OPTIKS_TRY(node(below, old.length + 1, sides[1]));
    merge(left, right, old.length, old.position);
    return Reason::kValid;
  }

  // Replaces two lists on the stack, [left, right) and [right, size_), by the list of their parent. The parent's prefix
  // is the first `length` bits of `position`.
  void merge(std::size_t left, std::size_t right, std::size_t length, ByteSpan position) {
    const std::size_t end = size_;
    std::size_t l = left;
    std::size_t r = right;
    while (l < right || r < end) {
      const std::size_t l_from = l < right ? stack_[l].from : SIZE_MAX;
      const std::size_t r_from = r < end ? stack_[r].from : SIZE_MAX;
      const std::size_t from = std::min(l_from, r_from);
      l += l_from == from ? 1 : 0;
      r += r_from == from ? 1 : 0;
      if (l == left) {
        push(from, stack_[r - 1].hash);
      } else if (r == right) {
        push(from, stack_[l - 1].hash);
      } else {
        push(from, {});
        queue_hash(length, position, stack_[l - 1].hash, stack_[r - 1].hash);
      }
    }
    hash_queued();
    std::copy(stack_.begin() + static_cast<std::ptrdiff_t>(end), stack_.begin() + static_cast<std::ptrdiff_t>(size_),
              stack_.begin() + static_cast<std::ptrdiff_t>(left));
    size_ = left + (size_ - end);
  }

  // Queues the computation of the hash for the entry that was pushed last. The hashes that one node has in different
  // epochs do not depend on each other, so they are computed in one batch.
  void queue_hash(std::size_t length, ByteSpan position, const Hash& left, const Hash& right) {
    if (num_queued_ == kQueueLen) {
      hash_queued();
    }
    write_interior_input(std::span(blocks_).subspan(num_queued_ * kNodeBlockLen).first<kNodeBlockLen>(), length,
                         position, left, right);
    queued_[num_queued_++] = size_ - 1;
  }

  void hash_queued() {
    std::array<Hash, kQueueLen> hashes;
    hash_many(std::span(hashes).first(num_queued_), std::span(blocks_).first(num_queued_ * kNodeBlockLen),
              std::span(kLens).first(num_queued_));
    for (std::size_t i = 0; i < num_queued_; ++i) {
      stack_[queued_[i]].hash = hashes[i];
    }
    num_queued_ = 0;
  }

  static void set_bit(Hash& position, std::size_t i) {
    position[i / 8] = static_cast<std::uint8_t>(position[i / 8] | 0x80U >> (i % 8));
  }

  // The length of the queue, a multiple of each kernel's number of lanes.
  static constexpr std::size_t kQueueLen = 8;
  static constexpr std::array<std::size_t, kQueueLen> kLens = [] {
    std::array<std::size_t, kQueueLen> lens{};
    lens.fill(kInteriorInputLen);
    return lens;
  }();

  std::span<Change> stack_;
  std::size_t size_ = 0;
  std::uint64_t first_epoch_;
  ByteSpan rest_;
  std::size_t num_queued_ = 0;
  std::array<std::size_t, kQueueLen> queued_{};  // indexes in stack_
  alignas(64) std::array<std::uint8_t, kQueueLen * kNodeBlockLen> blocks_{};
};

namespace {

// Does steps 1 and 2 of docs/spec/proofs.md section 5.
Reason check_leaves(const Leaves& leaves, std::span<const TreeState> states) {
  std::array<std::uint64_t, kMaxRangeEpochs> num_added{};
  const std::size_t num_epochs = states.size() - 1;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (i > 0 && std::memcmp(leaves.label(i - 1).data(), leaves.label(i).data(), kHashLen) >= 0) {
      return Reason::kAppendLeafOrder;
    }
    if (leaves.offset(i) >= num_epochs) {
      return Reason::kAppendLeafEpoch;
    }
    ++num_added[leaves.offset(i)];
  }
  for (std::size_t j = 1; j <= num_epochs; ++j) {
    const std::uint64_t before = states[j - 1].count;
    const std::uint64_t after = states[j].count;
    if (after < before || num_added[j - 1] != after - before) {
      return Reason::kAppendLeafCount;
    }
  }
  return Reason::kValid;
}

}  // namespace

Reason verify_append(std::uint64_t first_epoch, std::span<const TreeState> states, const AppendProof& proof,
                     AppendWorkspace& workspace) {
  OPTIKS_CHECK(states.size() >= 2 && states.size() <= kMaxRangeEpochs + 1);
  const Leaves leaves(proof.leaves);
  OPTIKS_TRY(check_leaves(leaves, states));
  const TreeState& old = states[0];
  if (old.count == 0 && !equal(old.root, empty_root())) {
    return Reason::kAppendOldRoot;
  }
  if ((old.count == 0 || leaves.empty()) && !proof.opened.empty()) {
    return Reason::kAppendTrailing;
  }
  if (leaves.empty()) {
    const auto unchanged = [&](const TreeState& state) { return equal(state.root, old.root); };
    return std::ranges::all_of(states, unchanged) ? Reason::kValid : Reason::kAppendNewRoot;
  }

  AppendWalk walk(workspace, first_epoch, proof.opened);
  if (old.count == 0) {
    walk.new_subtree(leaves);
  } else {
    OPTIKS_TRY(walk.old_tree(leaves));
    if (!equal(walk.root(0), old.root)) {
      return Reason::kAppendOldRoot;
    }
  }
  for (std::size_t j = 1; j < states.size(); ++j) {
    if (!equal(walk.root(j), states[j].root)) {
      return Reason::kAppendNewRoot;
    }
  }
  return Reason::kValid;
}

}  // namespace optiks::ozks::verify
