#include "linked/linked_trees.h"

#include <algorithm>
#include <utility>

#include "linked/append_proof.h"
#include "trie/edit.h"
#include "util/prefetch.h"

namespace optiks::ozks {
namespace {

// The number of new leaves that one thread prepares at a time.
constexpr std::size_t kTakeChunk = 128;
// The least number of keys for each thread that puts keys into the table. With fewer keys, one more thread costs more
// time than it saves.
constexpr std::size_t kPutGrain = 256;

}  // namespace

std::uint64_t LinkedTrees::find_newest(const LeafLog& log, const Tag& key, LeafRecord& out) const {
  const NodeId leaf = keys_.find(key, [&](NodeId id) {
    log.read(nodes_.leaf(id).log_offset(), out);
    return out.facts().tag == key;
  });
  return leaf == kNoNode ? kNoLogOffset : nodes_.leaf(leaf).log_offset();
}

void LinkedTrees::prefetch_newest(const LeafLog& log, std::span<const Tag> keys) const {
  // Three loops prefetch memory for all keys: the first the slots of the table, the second the leaves that the slots
  // name, and the third the records of these leaves.
  for (const Tag& key : keys) {
    keys_.prefetch(key);
  }
  const auto for_each_likely = [&](const auto& use) {
    for (const Tag& key : keys) {
      const NodeId likely = keys_.find(key, [](NodeId) { return true; });
      if (likely != kNoNode) {
        use(nodes_.leaf(likely));
      }
    }
  };
  for_each_likely([](const Leaf& leaf) { prefetch(&leaf, sizeof(leaf)); });
  for_each_likely([&](const Leaf& leaf) { log.prefetch(leaf.log_offset()); });
}

TreeStats LinkedTrees::stats() const {
  TreeStats out;
  out.tree_bytes = tree_bytes_.load(std::memory_order_relaxed);
  out.key_table_bytes = table_bytes_.load(std::memory_order_relaxed);
  return out;
}

bool LinkedTrees::stage(std::uint8_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                        const StepProof* proof) {
  std::vector<InsertedLeaf> linked(leaves.size());
  std::vector<NodeId> previous(leaves.size(), kNoNode);
  staged_.leaves.reserve(staged_.leaves.size() + leaves.size());
  staged_.keys.reserve(staged_.keys.size() + leaves.size());
  for (InsertedLeaf& leaf : linked) {
    leaf.id = nodes_.allocate_leaf();
    staged_.leaves.push_back(leaf.id);
  }
  workers.for_each_index((leaves.size() + kTakeChunk - 1) / kTakeChunk, [&](std::size_t chunk) {
    const std::size_t end = std::min(leaves.size(), (chunk + 1) * kTakeChunk);
    for (std::size_t i = chunk * kTakeChunk; i < end; ++i) {
      const NewLeaf& leaf = leaves[i];
      linked[i].hash = leaf.hash;
      Leaf& node = nodes_.new_leaf(linked[i].id);
      node.label = leaf.label;
      node.set_log_offset(leaf.log_offset);
      if (leaf.is_newest && leaf.replaces != kNoLogOffset) {
        previous[i] = keys_.find(leaf.tag, [&](NodeId id) { return nodes_.leaf(id).log_offset() == leaf.replaces; });
      }
    }
  });
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].is_newest) {
      staged_.keys.push_back({leaves[i].tag, linked[i].id, previous[i]});
    }
  }
  OpenedTree opened;
  Tree& tree = staged_.trees[structure_index(structure)];
  Tree next;
  if (!insert_leaves(nodes_, tree, linked, workers, next, staged_.change, proof == nullptr ? nullptr : &opened)) {
    return false;
  }
  tree = next;
  if (proof != nullptr) {
    make_append_proof(nodes_, proof->log, linked, proof->commitments, opened, workers, proof->out);
  }
  return true;
}

void LinkedTrees::commit(std::uint64_t epoch, const LeafLog& /*log*/, Workers& workers) {
  keys_.reserve(staged_.keys, epoch, workers);
  superseded_.push_back({epoch, {}});
  // None of the steps from here on can fail.
  superseded_.back().nodes = std::move(staged_.change.superseded);
  const std::size_t num_parts = std::clamp<std::size_t>(staged_.keys.size() / kPutGrain, 1, workers.threads());
  // The lambda captures two words. A std::function stores two words without an allocation, so making it cannot fail
  // either.
  workers.for_each_index(num_parts, [this, num_parts](std::size_t i) { keys_.put_some(staged_.keys, i, num_parts); });
  committed_ = staged_.trees;
  staged_ = {};
  staged_.trees = committed_;
  count_bytes();
}

void LinkedTrees::discard() noexcept {
  nodes_.free_interiors(staged_.change.created);
  for (const NodeId leaf : staged_.leaves) {
    nodes_.free_leaf(leaf);
  }
  staged_ = {};
  staged_.trees = committed_;
}

void LinkedTrees::release(std::uint64_t oldest) noexcept {
  while (!superseded_.empty() && superseded_.front().epoch <= oldest) {
    nodes_.free_interiors(superseded_.front().nodes);
    superseded_.pop_front();
  }
  keys_.collect(oldest);
}

void LinkedTrees::edit(std::uint8_t structure, std::span<const NewLeaf> leaves) noexcept {
  Tree& tree = committed_[structure_index(structure)];
  for (const NewLeaf& leaf : leaves) {
    const NodeId id = keys_.find(leaf.tag, [&](NodeId of) { return nodes_.leaf(of).log_offset() == leaf.replaces; });
    if (leaf.log_offset == kNoLogOffset) {
      keys_.remove(leaf.tag, id);
      remove_leaf(nodes_, tree, leaf.label);
    } else {
      nodes_.new_leaf(id).set_log_offset(leaf.log_offset);
      replace_leaf(nodes_, tree, leaf.label, leaf.hash);
    }
  }
  staged_.trees = committed_;
}

void LinkedTrees::adopt(const Trees& trees) {
  committed_ = trees;
  staged_.trees = trees;
  count_bytes();
}

void LinkedTrees::count_bytes() {
  tree_bytes_.store(nodes_.bytes(), std::memory_order_relaxed);
  table_bytes_.store(keys_.bytes(), std::memory_order_relaxed);
}

}  // namespace optiks::ozks
