// What a directory does before an epoch is staged: versions, labels, openings and commitments of the leaves to come.
#include <sodium.h>

#include <algorithm>

#include "directory/directory.h"
#include "leaves/hash_batch.h"
#include "leaves/leaf_rows.h"

namespace optiks::ozks {
namespace {

// Rows whose tags and commitments one thread makes at a time.
constexpr std::size_t kHashChunk = 64;

void check_structure(std::uint8_t structure) {
  if (structure < 1 || structure > kNumStructures) {
    throw DirectoryError(OPTIKS_E_ARGUMENT, "there is no such structure");
  }
}

}  // namespace

std::uint64_t Directory::version_of(std::uint8_t structure, ByteSpan key) const {
  check_structure(structure);
  LeafRecord record;
  if (!data_->find_newest(data_->tag(structure, key), record)) {
    return 0;
  }
  return verify::has_versions(structure) ? record.facts().version : 1;
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
  const View now(data_);
  PrecomputedLabels::Map expected;
  expected.reserve(keys.size);
  LabelBatch labels;
  LeafRecord record;
  for (std::size_t i = 0; i < keys.size; ++i) {
    check_structure(structures[i]);
    const Tag tag = data_->tag(structures[i], keys[i]);
    const bool exists = data_->latest(tag, now.state().epoch, record);
    if (!verify::has_versions(structures[i]) && exists) {
      continue;
    }
    const auto [at, added] = expected.try_emplace(tag);
    if (added) {
      at->second.version = next_version(structures[i], exists ? &record.facts() : nullptr);
      labels.add(structures[i], keys[i], at->second.version, at->second.label.data());
    }
  }
  labels.evaluate(data_->secrets, workers_);
  precomputed_.put(expected);
}

void Directory::prepare(std::uint64_t epoch, const std::uint8_t* structures, const ByteStrings& keys,
                        const ByteStrings& values, optiks_leaf_t* out_rows) const {
  if (epoch != data_->epochs.current().epoch + 1) {
    throw DirectoryError(OPTIKS_E_STATE, "leaves are prepared for the next epoch");
  }
  if (keys.size >= (1U << 28)) {
    throw DirectoryError(OPTIKS_E_ARGUMENT, "an epoch takes fewer than 2^28 updates");
  }
  for (std::size_t i = 0; i < keys.size; ++i) {
    check_structure(structures[i]);
    if (keys[i].empty() || keys[i].size() > kMaxKeyLen || values[i].size() > data_->max_value_len) {
      throw DirectoryError(OPTIKS_E_ARGUMENT, "a key or a value has a length that the configuration does not allow");
    }
  }
  std::vector<Tag> tags(keys.size);
  std::vector<optiks_leaf_t> out(keys.size);
  workers_.for_each_index((keys.size + kHashChunk - 1) / kHashChunk, [&](std::size_t chunk) {
    const std::size_t first = chunk * kHashChunk;
    const std::size_t last = std::min(keys.size, first + kHashChunk);
    std::vector<TagInput> inputs;
    inputs.reserve(last - first);
    for (std::size_t i = first; i < last; ++i) {
      inputs.push_back({structures[i], keys[i]});
    }
    data_->secrets.tag_many(inputs, std::span(tags).subspan(first, last - first));
    data_->trees->prefetch_newest(data_->log, std::span(tags).subspan(first, last - first));
    std::array<std::array<std::uint8_t, kOpeningLen>, kHashChunk> openings;
    randombytes_buf(openings.data(), (last - first) * kOpeningLen);
    std::array<Hash, kHashChunk> commitments;
    HashBatch hashes;
    for (std::size_t i = first; i < last; ++i) {
      hashes.add_commitment(openings[i - first], values[i], commitments[i - first]);
    }
    hashes.run();
    LeafRecord record;
    for (std::size_t i = first; i < last; ++i) {
      optiks_leaf_t& row = out[i];
      row.version = next_version(structures[i], data_->find_newest(tags[i], record) ? &record.facts() : nullptr);
      row.epoch = epoch;
      row.value_offset = values.offsets[i];
      row.value_len = static_cast<std::uint32_t>(values[i].size());
      row.structure_and_input = static_cast<std::uint32_t>(structures[i]) << 28 | static_cast<std::uint32_t>(i);
      std::ranges::copy(tags[i], row.tag);
      std::ranges::copy(openings[i - first], row.opening);
      std::ranges::copy(commitments[i - first], row.commitment);
    }
  });
  if (std::ranges::any_of(earlier_of_same_tag(tags), [](std::uint32_t row) { return row != kNoRow; })) {
    throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one epoch");
  }
  const PrecomputedLabels::Map expected = precomputed_.take();
  LabelBatch labels;
  for (std::size_t i = 0; i < keys.size; ++i) {
    const auto known = expected.find(tags[i]);
    if (known != expected.end() && known->second.version == out[i].version) {
      std::ranges::copy(known->second.label, out[i].label);
    } else {
      labels.add(structures[i], keys[i], out[i].version, out[i].label);
    }
  }
  labels.evaluate(data_->secrets, workers_);
  sort_rows(out, out_rows);
}

}  // namespace optiks::ozks
