#include "pahd/label_prover.h"

#include <algorithm>

namespace optiks::ozks {

void LabelProver::add(ByteSpan key, std::uint64_t version) {
  append_alpha(alphas_, structure_, key, version);
  ends_.push_back(alphas_.size());
}

void LabelProver::run() {
  const std::size_t n = ends_.size() - 1;
  proven_.resize(n);
  std::vector<std::size_t> missing;
  std::vector<Tag> inputs(n);
  std::vector<std::uint8_t> alphas;
  std::vector<std::size_t> ends{0};
  for (std::size_t i = 0; i < n; ++i) {
    const ByteSpan alpha(alphas_.data() + ends_[i], ends_[i + 1] - ends_[i]);
    inputs[i] = store_.input_tag(alpha);
    if (!store_.cache.find(inputs[i], proven_[i])) {
      missing.push_back(i);
      alphas.insert(alphas.end(), alpha.begin(), alpha.end());
      ends.push_back(alphas.size());
    }
  }
  if (missing.empty()) {
    return;
  }
  std::vector<std::uint8_t> labels(missing.size() * vrf::kLabelLen);
  std::vector<std::uint8_t> proofs(missing.size() * vrf::kProofLen);
  vrf::prove_batch(store_.secrets.vrf[structure_ - 1U], {alphas, ends}, labels, proofs);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    Proven& proven = proven_[missing[i]];
    std::copy_n(labels.data() + i * vrf::kLabelLen, vrf::kLabelLen, proven.label.begin());
    std::copy_n(proofs.data() + i * vrf::kProofLen, vrf::kProofLen, proven.proof.begin());
    store_.cache.put(inputs[missing[i]], proven);
  }
}

}  // namespace optiks::ozks
