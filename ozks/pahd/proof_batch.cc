#include "pahd/proof_batch.h"

#include <algorithm>

#include "optiks/ozks/verify/alpha.h"

namespace optiks::ozks {

void ProofBatch::add(const NamedKey& key, std::uint64_t version) {
  const Tag input = input_of(key.tag, version);
  const auto [found, is_new] = entries_.try_emplace(input);
  if (!is_new) {
    return;
  }
  Entry& entry = found->second;
  entry.is_made = uses_cache_ && data_.cache.find(input, entry.proven);
  if (entry.is_made) {
    data_.cache.count(input, 1, 0);
    return;
  }
  Pending& pending = pending_[structure_index(key.structure)];
  pending.inputs.push_back(input);
  const verify::Alpha alpha(key.structure, key.name, version);
  pending.alphas.insert(pending.alphas.end(), alpha.get().begin(), alpha.get().end());
  pending.ends.push_back(pending.alphas.size());
}

void ProofBatch::run() {
  for (const std::uint8_t structure : kStructures) {
    run(structure, pending_[structure_index(structure)]);
  }
}

void ProofBatch::run(std::uint8_t structure, Pending& pending) {
  const std::size_t n = pending.inputs.size();
  if (n == 0) {
    return;
  }
  std::vector<std::uint8_t> labels(n * vrf::kLabelLen);
  std::vector<std::uint8_t> proofs(n * vrf::kProofLen);
  vrf::prove_batch(data_.secrets.vrf[structure_index(structure)], {pending.alphas, pending.ends}, labels, proofs);
  for (std::size_t i = 0; i < n; ++i) {
    Entry& entry = entries_.at(pending.inputs[i]);
    std::copy_n(labels.data() + i * vrf::kLabelLen, vrf::kLabelLen, entry.proven.label.begin());
    std::copy_n(proofs.data() + i * vrf::kProofLen, vrf::kProofLen, entry.proven.proof.begin());
    entry.is_made = true;
    if (uses_cache_) {
      data_.cache.put(pending.inputs[i], entry.proven);
    }
  }
  data_.cache.count(pending.inputs.front(), 0, n);
  pending = {};
}

const Proven* ProofBatch::find(const Tag& input) const {
  const auto entry = entries_.find(input);
  return entry == entries_.end() || !entry->second.is_made ? nullptr : &entry->second.proven;
}

}  // namespace optiks::ozks
