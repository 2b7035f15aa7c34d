// Implements the Directory functions that prepare the leaves of the next epoch: versions, labels, openings and
// commitments.
#include <algorithm>

#include "directory/directory.h"
#include "directory/row_filler.h"
#include "leaves/leaf_rows.h"

namespace optiks::ozks {

std::uint64_t Directory::version_of(std::uint8_t structure, ByteSpan key) const {
  check_structure(structure);
  LeafRecord record;
  if (!data_->find_newest(data_->tag(structure, key), record)) {
    return 0;
  }
  return data_->has_versions(structure) ? record.facts().version : 1;
}

bool Directory::newest_value(std::uint8_t structure, ByteSpan key, std::vector<std::uint8_t>& out) const {
  check_structure(structure);
  if (!keeps(data_->kept_values, structure)) {
    throw DirectoryError(OPTIKS_E_STATE, "the directory does not keep this structure's values");
  }
  LeafRecord record;
  if (!data_->find_newest(data_->tag(structure, key), record) || !record.has_value()) {
    return false;
  }
  out.insert(out.end(), record.value().begin(), record.value().end());
  return true;
}

void Directory::precompute_labels(const std::uint8_t* structures, const ByteStrings& keys) {
  data_->require_begun();
  const View now(data_);
  PrecomputedLabels::Map expected;
  expected.reserve(keys.size);
  LabelBatch labels;
  LeafRecord record;
  for (std::size_t i = 0; i < keys.size; ++i) {
    check_structure(structures[i]);
    const Tag tag = data_->tag(structures[i], keys[i]);
    const bool exists = data_->latest(tag, now.state().epoch, record);
    const bool has_versions = data_->has_versions(structures[i]);
    if (!has_versions && exists) {
      continue;
    }
    const auto [at, added] = expected.try_emplace(tag);
    if (added) {
      at->second.version = next_version(has_versions, exists ? &record.facts() : nullptr);
      labels.add(structures[i], keys[i], at->second.version, at->second.label.data());
    }
  }
  labels.evaluate(data_->secrets, workers_);
  precomputed_.put(expected);
}

void Directory::prepare(std::uint64_t epoch, const std::uint8_t* structures, const ByteStrings& keys,
                        const ByteStrings& values, LeafRow* out_rows) const {
  data_->require_begun();
  if (epoch != data_->epochs.current().epoch + 1) {
    throw DirectoryError(OPTIKS_E_STATE, "leaves are prepared for the next epoch");
  }
  const RowInputs inputs{structures, keys, values};
  check_inputs(*data_, inputs);
  std::vector<LeafRow> out(keys.size);
  std::vector<Tag> tags(keys.size);
  fill_rows(*data_, inputs, workers_, out, tags, [&](std::size_t first, std::size_t last) {
    data_->trees->prefetch_newest(data_->log, std::span(tags).subspan(first, last - first));
    LeafRecord record;
    for (std::size_t i = first; i < last; ++i) {
      const LeafFacts* latest = data_->find_newest(tags[i], record) ? &record.facts() : nullptr;
      out[i].version = next_version(data_->has_versions(structures[i]), latest);
      out[i].epoch = epoch;
    }
  });
  const PrecomputedLabels::Map expected = precomputed_.take();
  LabelBatch labels;
  for (std::size_t i = 0; i < keys.size; ++i) {
    const auto known = expected.find(tags[i]);
    if (known != expected.end() && known->second.version == out[i].version) {
      out[i].label = known->second.label;
    } else {
      labels.add(structures[i], keys[i], out[i].version, out[i].label.data());
    }
  }
  labels.evaluate(data_->secrets, workers_);
  sort_rows(out, out_rows);
}

}  // namespace optiks::ozks
