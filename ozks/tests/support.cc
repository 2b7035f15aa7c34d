#include "support.h"

#include <algorithm>
#include <set>

namespace optiks::ozks::test {

Hash new_label(Random& random, const std::vector<NaiveLeaf>& existing) {
  if (existing.empty() || random.below(2) == 0) {
    return random.hash();
  }
  const Hash& neighbour = existing[random.below(existing.size())].label;
  // In a third of the cases the bit is one of the last eight, so that long prefixes of 248 to 255 bits occur often.
  const std::size_t bit = random.below(3) == 0 ? 248 + random.below(8) : random.below(verify::kLabelBits);
  return with_bit_flipped(neighbour, bit);
}

std::vector<NaiveLeaf> new_leaves(Random& random, const std::vector<NaiveLeaf>& existing, std::size_t count,
                                  std::uint64_t epoch) {
  std::set<Hash> taken;
  for (const NaiveLeaf& leaf : existing) {
    taken.insert(leaf.label);
  }
  std::vector<NaiveLeaf> out;
  while (out.size() < count) {
    const Hash label = new_label(random, out.empty() || random.below(2) == 0 ? existing : out);
    if (taken.insert(label).second) {
      out.push_back({label, random.hash(), epoch});
    }
  }
  std::ranges::sort(out, {}, &NaiveLeaf::label);
  return out;
}

InsertedLeaf add_leaf(Nodes& nodes, LeafLog& log, const NaiveLeaf& leaf) {
  Leaf added{leaf.label, {}};
  added.set_log_offset(log.append({leaf.commitment, {}, leaf.epoch, kNoLogOffset, 1}, {}, {}));
  return {.id = nodes.add_leaf(added), .hash = verify::leaf_hash(leaf.label, leaf.commitment, leaf.epoch)};
}

void GrownTree::add(std::vector<NaiveLeaf> leaves) {
  std::ranges::sort(leaves, {}, &NaiveLeaf::label);
  std::vector<InsertedLeaf> added;
  std::vector<Hash> commitments;
  for (const NaiveLeaf& leaf : leaves) {
    added.push_back(add_leaf(*nodes_, *log_, leaf));
    commitments.push_back(leaf.commitment);
  }
  Epoch next;
  Change change;
  Workers workers(1);
  OpenedTree opened;
  ASSERT_TRUE(insert_leaves(*nodes_, tree(), added, workers, next.tree, change, &opened));
  make_append_proof(*nodes_, *log_, added, commitments, opened, workers, next.proof);
  all_.insert(all_.end(), leaves.begin(), leaves.end());
  next.added = std::move(leaves);
  epochs_.push_back(std::move(next));
}

std::vector<NaiveLeaf> GrownTree::leaves(std::uint64_t epoch) const {
  std::vector<NaiveLeaf> out;
  for (std::uint64_t e = first_epoch_; e <= epoch; ++e) {
    const auto& added = this->epoch(e).added;
    out.insert(out.end(), added.begin(), added.end());
  }
  return out;
}

bool GrownTree::merge(std::uint64_t a, std::uint64_t b, Bytes& out) const {
  std::vector<Bytes> steps;
  std::vector<std::uint64_t> counts;
  for (std::uint64_t e = a + 1; e <= b; ++e) {
    steps.push_back(epoch(e).proof);
    counts.push_back(epoch(e - 1).tree.count);
  }
  return merge_steps(steps, counts, out);
}

verify::Reason GrownTree::verdict(std::uint64_t a, std::uint64_t b, ByteSpan proof) const {
  verify::AppendProof decoded;
  const verify::Reason reason = verify::decode_whole(proof, decoded);
  if (reason != verify::Reason::kValid) {
    return reason;
  }
  std::vector<verify::TreeState> states;
  for (std::uint64_t e = a; e <= b; ++e) {
    states.push_back({epoch(e).tree.root_hash, epoch(e).tree.count});
  }
  auto workspace = verify::AppendWorkspace::create(states.size() - 1);
  EXPECT_TRUE(workspace.has_value());
  return verify::verify_append(a, states, decoded, *workspace);
}

bool merge_steps(const std::vector<Bytes>& steps, const std::vector<std::uint64_t>& counts, Bytes& out) {
  std::vector<AppendPart> parts;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    verify::AppendProof proof;
    if (verify::decode_whole(ByteSpan(steps[i]), proof) != verify::Reason::kValid) {
      return false;
    }
    parts.push_back({proof.leaves, proof.opened, counts[i]});
  }
  return merge_append_proofs(parts, out);
}

}  // namespace optiks::ozks::test
