#include "directory/row_filler.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <vector>

#include "leaves/hash_batch.h"
#include "leaves/leaf_rows.h"

namespace optiks::ozks {
namespace {

// The number of rows whose tags and commitments one thread makes at a time.
constexpr std::size_t kHashChunk = 64;

// Fills rows [first, last) with the fields that fill_rows() sets itself.
void fill_chunk(const DirectoryData& data, const RowInputs& inputs, std::size_t first, std::size_t last,
                std::span<LeafRow> out, std::span<Tag> tags) {
  const auto& [structures, keys, values] = inputs;
  std::vector<TagInput> tagged;
  tagged.reserve(last - first);
  for (std::size_t i = first; i < last; ++i) {
    tagged.push_back({structures[i], keys[i]});
  }
  data.secrets.tag_many(tagged, tags.subspan(first, last - first));
  std::array<std::array<std::uint8_t, kOpeningLen>, kHashChunk> openings;
  randombytes_buf(openings.data(), (last - first) * kOpeningLen);
  std::array<Hash, kHashChunk> commitments;
  HashBatch hashes;
  for (std::size_t i = first; i < last; ++i) {
    hashes.add_commitment(openings[i - first], values[i], commitments[i - first]);
  }
  hashes.run();
  for (std::size_t i = first; i < last; ++i) {
    LeafRow& row = out[i];
    row.value_offset = values.offsets[i];
    row.value_len = static_cast<std::uint32_t>(values[i].size());
    row.set_place(structures[i], i);
    row.tag = tags[i];
    row.opening = openings[i - first];
    row.commitment = commitments[i - first];
  }
}

}  // namespace

void check_structure(std::uint8_t structure) {
  if (!is_structure(structure)) {
    throw DirectoryError(OPTIKS_E_ARGUMENT, "there is no such structure");
  }
}

void check_inputs(const DirectoryData& data, const RowInputs& inputs) {
  const auto& [structures, keys, values] = inputs;
  if (keys.size >= LeafRow::kMaxInputs) {
    throw DirectoryError(OPTIKS_E_ARGUMENT, "a call takes fewer than 2^28 keys");
  }
  for (std::size_t i = 0; i < keys.size; ++i) {
    check_structure(structures[i]);
    if (keys[i].empty() || keys[i].size() > kMaxKeyLen || values[i].size() > data.max_value_len) {
      throw DirectoryError(OPTIKS_E_ARGUMENT, "a key or a value has a length that the configuration does not allow");
    }
  }
}

void fill_rows(const DirectoryData& data, const RowInputs& inputs, Workers& workers, std::span<LeafRow> out,
               std::span<Tag> tags, const std::function<void(std::size_t first, std::size_t last)>& then) {
  workers.for_each_index((out.size() + kHashChunk - 1) / kHashChunk, [&](std::size_t chunk) {
    const std::size_t first = chunk * kHashChunk;
    const std::size_t last = std::min(out.size(), first + kHashChunk);
    fill_chunk(data, inputs, first, last, out, tags);
    then(first, last);
  });
  if (std::ranges::any_of(earlier_of_same_tag(tags), [](std::uint32_t row) { return row != kNoRow; })) {
    throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one call");
  }
}

}  // namespace optiks::ozks
