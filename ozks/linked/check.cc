// Checks trees that were restored from another machine's snapshot.

#include <algorithm>
#include <array>
#include <vector>

#include "leaves/hash_batch.h"
#include "leaves/leaf_rows.h"
#include "leaves/record_budget.h"
#include "linked/linked_trees.h"

namespace optiks::ozks {
namespace {

[[noreturn]] void damaged() { data_error("the snapshot contradicts its leaf log"); }

// An index from leaves to the entries of the key table. For each leaf that the table names as a key's latest leaf, the
// index has bits of the key's tag.
class Latest {
 public:
  explicit Latest(const KeyTable& keys) {
    for (std::size_t segment = 0; segment < KeyTable::kSegments; ++segment) {
      keys.for_each(segment, [&](const KeyTable::Slot& slot) {
        const std::size_t index = slot.leaf & ~kLeafBit;
        if (index >= bits_.size()) {
          bits_.resize(index + index / 8 + 1024);
        }
        if (bits_[index] != 0) {
          damaged();
        }
        bits_[index] = kIsLatest | std::uint64_t{segment} << 32 | slot.bits;
        ++num_keys_;
      });
    }
  }

  [[nodiscard]] std::uint64_t num_keys() const { return num_keys_; }
  [[nodiscard]] bool has(NodeId leaf) const {
    const std::size_t index = leaf & ~kLeafBit;
    return index < bits_.size() && bits_[index] != 0;
  }
  // True if the table names this leaf as the latest leaf of the key with this tag. has(leaf) must be true.
  [[nodiscard]] bool is_of(NodeId leaf, const Tag& tag) const {
    const std::uint64_t first = base::load_be64(tag.data()) >> (64 - 32 - kKeySegmentBits);
    return bits_[leaf & ~kLeafBit] == (kIsLatest | first);
  }

 private:
  static constexpr std::uint64_t kIsLatest = std::uint64_t{1} << 63;

  std::vector<std::uint64_t> bits_;
  std::uint64_t num_keys_ = 0;
};

// Numbers that are counted over all leaves that were checked.
struct Counts {
  std::uint64_t leaves = 0;
  std::uint64_t keys = 0;     // number of leaves that are the first leaf of their key
  std::uint64_t covered = 0;  // number of leaves of all keys whose latest leaf was checked

  void add(const Counts& other) {
    leaves += other.leaves;
    keys += other.keys;
    covered += other.covered;
  }
};

// Checks parts of one structure's tree. Each thread uses its own object.
class Checker {
 public:
  Checker(const Nodes& nodes, const LeafLog& log, const Latest& latest, RecordBudget& budget, bool has_versions)
      : nodes_(nodes), log_(log), latest_(latest), budget_(budget), has_versions_(has_versions) {}

  // Checks a node and all nodes below it. The node's hash must be `hash`. Returns the label of the first leaf below the
  // node.
  const Hash& check_below(NodeId id, const Hash& hash) {
    if (Nodes::is_leaf(id)) {
      check_leaf(id, hash);
      return nodes_.leaf(id).label;
    }
    const Interior& node = nodes_.interior(id);
    nodes_.prefetch_node(node.child[1]);
    const Hash& label = check_below(node.child[0], node.hash[0]);
    check_below(node.child[1], node.hash[1]);
    check_interior(node, label, hash);
    return label;
  }

  void check_interior(const Interior& node, const Hash& first_label, const Hash& hash) {
    hashes_.add_interior(node.length, first_label, node.hash[0], node.hash[1], computed_of(hash));
  }

  // Compares the hashes that were not compared yet, and returns the counts.
  Counts finish() {
    compare();
    return counts_;
  }

 private:
  static constexpr std::size_t kPutOff = 64;

  void check_leaf(NodeId id, const Hash& hash) {
    const Leaf& leaf = nodes_.leaf(id);
    const std::uint64_t log_offset = leaf.log_offset();
    log_.read(log_offset, record_);
    num_octets_ += RecordBudget::length_of(record_);
    const LeafFacts& facts = record_.facts();
    hashes_.add_leaf(leaf.label, facts.commitment, facts.epoch, computed_of(hash));
    if (record_.has_value()) {
      hashes_.add_commitment(record_.opening(), record_.value(), computed_of(facts.commitment));
    }
    const bool is_first = facts.previous == kNoLogOffset;
    if (has_versions_ ? is_first != (facts.version == 1) : !is_first || facts.version != 0) {
      damaged();
    }
    if (!is_first) {
      LeafFacts before;
      if (facts.previous >= log_offset) {
        damaged();
      }
      log_.read_facts(facts.previous, before);
      if (before.tag != facts.tag || before.version + 1 != facts.version) {
        damaged();
      }
    }
    ++counts_.leaves;
    counts_.keys += is_first ? 1 : 0;
    if (latest_.has(id)) {
      if (!latest_.is_of(id, facts.tag)) {
        damaged();
      }
      counts_.covered += std::max(1U, facts.version);
    }
  }

  // Returns the place for the next computed hash, which compare() will compare with `hash`.
  Hash& computed_of(const Hash& hash) {
    if (num_put_off_ == kPutOff) {
      compare();
    }
    expected_[num_put_off_] = hash;
    return computed_[num_put_off_++];
  }

  void compare() {
    budget_.spend(num_octets_);
    num_octets_ = 0;
    hashes_.run();
    if (!std::equal(computed_.begin(), computed_.begin() + static_cast<std::ptrdiff_t>(num_put_off_),
                    expected_.begin())) {
      damaged();
    }
    num_put_off_ = 0;
  }

  HashBatch hashes_;
  const Nodes& nodes_;
  const LeafLog& log_;
  const Latest& latest_;
  RecordBudget& budget_;
  std::size_t num_octets_ = 0;  // octets of read records that were not yet subtracted from the budget
  std::size_t num_put_off_ = 0;
  Counts counts_;
  LeafRecord record_;
  bool has_versions_;
  std::array<Hash, kPutOff> computed_;
  std::array<Hash, kPutOff> expected_;
};

struct CheckedPart {
  NodeId root;
  const Hash* hash;
};

// The number of levels above the subtrees into which the work is divided. With this number there are enough subtrees
// that all threads finish at about the same time.
constexpr unsigned kLevels = 8;

const Hash& first_label(const Nodes& nodes, NodeId id) {
  while (!Nodes::is_leaf(id)) {
    id = nodes.interior(id).child[0];
  }
  return nodes.leaf(id).label;
}

// Checks the nodes of the upper `levels` levels, and adds the subtrees below them to `parts`.
void divide(const Nodes& nodes, CheckedPart at, unsigned levels, Checker& checker, std::vector<CheckedPart>& parts) {
  if (levels == 0 || Nodes::is_leaf(at.root)) {
    parts.push_back(at);
    return;
  }
  const Interior& node = nodes.interior(at.root);
  checker.check_interior(node, first_label(nodes, at.root), *at.hash);
  for (const std::size_t side : {0U, 1U}) {
    divide(nodes, {node.child[side], &node.hash[side]}, levels - 1, checker, parts);
  }
}

}  // namespace

void LinkedTrees::check(const LeafLog& log, bool reuses_usernames, Workers& workers) const {
  const Latest latest(keys_);
  RecordBudget budget(log.size());
  Counts all;
  std::uint64_t num_leaves = 0;
  for (const std::uint8_t structure : kStructures) {
    const Tree& tree = committed_[structure_index(structure)];
    num_leaves += tree.count;
    if (tree.count == 0) {
      continue;
    }
    const bool of_versions = has_versions(structure, reuses_usernames);
    Checker top(nodes_, log, latest, budget, of_versions);
    std::vector<CheckedPart> parts;
    divide(nodes_, {root_of(tree), &tree.root_hash}, kLevels, top, parts);
    all.add(top.finish());
    std::vector<Counts> counts(parts.size());
    workers.for_each_index(parts.size(), [&](std::size_t i) {
      Checker checker(nodes_, log, latest, budget, of_versions);
      checker.check_below(parts[i].root, *parts[i].hash);
      counts[i] = checker.finish();
    });
    for (const Counts& of_part : counts) {
      all.add(of_part);
    }
  }
  // The records of each key lead from its latest leaf back to its first leaf. If these counts agree, the table has an
  // entry for each key, and this entry names the key's latest leaf.
  if (all.leaves != num_leaves || all.keys != latest.num_keys() || all.covered != num_leaves) {
    damaged();
  }
}

}  // namespace optiks::ozks
