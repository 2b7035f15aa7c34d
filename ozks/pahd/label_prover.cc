#include "pahd/label_prover.h"

namespace optiks::ozks {

void LabelProver::add(const NamedKey& key, std::uint64_t version) {
  Item& item = items_.emplace_back();
  item.key = key;
  item.version = version;
  data_.cache.prefetch(input_of(key.tag, version));
}

bool LabelProver::run() {
  for (const Item& item : items_) {
    data_.cache.prefetch_entry(input_of(item.key.tag, item.version));
  }
  const bool uses_cache = batch_ == nullptr || batch_->uses_cache();
  std::size_t num_hits = 0;
  std::size_t num_missing = 0;
  for (Item& item : items_) {
    const Tag input = input_of(item.key.tag, item.version);
    // Proofs from the batch are not counted here, because the batch counted their hits and misses.
    const Proven* made = batch_ == nullptr ? nullptr : batch_->find(input);
    item.is_missing = false;
    if (made != nullptr) {
      item.proven = *made;
    } else if (uses_cache && data_.cache.find(input, item.proven)) {
      ++num_hits;
    } else if (batch_ != nullptr) {
      item.is_missing = true;
      ++num_missing;
    } else {
      return false;
    }
  }
  if (num_hits != 0) {
    data_.cache.count(items_.front().key.tag, num_hits, 0);
  }
  if (num_missing == 0) {
    return true;
  }
  ProofBatch batch(data_, uses_cache);
  for (const Item& item : items_) {
    if (item.is_missing) {
      batch.add(item.key, item.version);
    }
  }
  batch.run();
  for (Item& item : items_) {
    if (item.is_missing) {
      item.proven = *batch.find(input_of(item.key.tag, item.version));
    }
  }
  return true;
}

}  // namespace optiks::ozks
