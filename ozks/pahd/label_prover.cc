#include "pahd/label_prover.h"

namespace optiks::ozks {

void LabelProver::add(ByteSpan key, std::uint64_t version) {
  Item& item = items_.emplace_back();
  item.key = key;
  item.version = version;
  item.input = store_.input_tag(Alpha(structure_, key, version).get());
  store_.cache.prefetch(item.input);
}

bool LabelProver::run() {
  std::size_t hits = 0;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    // Those of a batch were counted when it took them in.
    const Proven* made = source_.batch == nullptr ? nullptr : source_.batch->find(item.input);
    if (made != nullptr) {
      item.proven = *made;
    } else if (store_.cache.find(item.input, item.proven)) {
      ++hits;
    } else if (source_.may_make) {
      missing.push_back(i);
    } else {
      return false;
    }
  }
  if (hits != 0) {
    store_.cache.count(items_.front().input, hits, 0);
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
    items_[i].proven = *batch.find(items_[i].input);
  }
  return true;
}

}  // namespace optiks::ozks
