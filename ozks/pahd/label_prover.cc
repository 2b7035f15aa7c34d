#include "pahd/label_prover.h"

namespace optiks::ozks {

void LabelProver::add(ByteSpan key, std::uint64_t version) {
  Item& item = items_.emplace_back();
  item.key = key;
  item.version = version;
  alphas_.emplace_back(structure_, key, version);
}

bool LabelProver::run() {
  std::vector<Tag> inputs(items_.size());
  store_.input_tags(alphas_, inputs);
  for (const Tag& input : inputs) {
    store_.cache.prefetch(input);
  }
  std::size_t hits = 0;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    // Those of a batch were counted when it took them in.
    const Proven* made = source_.batch == nullptr ? nullptr : source_.batch->find(inputs[i]);
    if (made != nullptr) {
      item.proven = *made;
    } else if (store_.cache.find(inputs[i], item.proven)) {
      ++hits;
    } else if (source_.may_make) {
      missing.push_back(i);
    } else {
      return false;
    }
  }
  if (hits != 0) {
    store_.cache.count(inputs.front(), hits, 0);
  }
  if (missing.empty()) {
    return true;
  }
  ProofBatch batch(store_, structure_);
  for (const std::size_t i : missing) {
    batch.add(items_[i].key, items_[i].version);
  }
  batch.run();
  for (const std::size_t i : missing) {
    items_[i].proven = *batch.find(inputs[i]);
  }
  return true;
}

}  // namespace optiks::ozks
