// Implements the Directory functions that erase values of leaves (docs/spec/erasure.md), and that find the leaves of a
// key's versions.
#include <algorithm>
#include <span>
#include <vector>

#include "directory/directory.h"
#include "leaves/directory_error.h"

namespace optiks::ozks {
namespace {

// Walks to the leaf with this label in the view's tree. Returns the log offset of the leaf's record, or kNoLogOffset if
// the leaf does not exist.
std::uint64_t find_leaf(const View& view, std::uint8_t structure, ByteSpan label, Paths& paths) {
  view.data().trees->walk_many(view.state().trees[structure_index(structure)], {&label, 1}, paths);
  const Path& path = paths.paths[0];
  return path.leaf != nullptr && path.common == verify::kLabelBits ? path.log_offset : kNoLogOffset;
}

std::uint64_t find_existing(const View& view, std::uint8_t structure, ByteSpan label, Paths& paths) {
  const std::uint64_t log_offset = find_leaf(view, structure, label, paths);
  if (log_offset == kNoLogOffset) {
    data_error("there is no leaf with this label");
  }
  return log_offset;
}

}  // namespace

void Directory::leaves_of(std::uint8_t structure, ByteSpan key, std::uint64_t from, std::size_t n,
                          std::uint8_t* out_labels, std::uint64_t* out_epochs) const {
  LabelBatch labels;
  for (std::size_t i = 0; i < n; ++i) {
    labels.add(structure, key, from + i, out_labels + i * vrf::kLabelLen);
  }
  labels.evaluate(data_->secrets, workers_);
  const View now(data_);
  Paths paths;
  LeafFacts facts;
  for (std::size_t i = 0; i < n; ++i) {
    data_->log.read_facts(find_existing(now, structure, {out_labels + i * vrf::kLabelLen, vrf::kLabelLen}, paths),
                          facts);
    out_epochs[i] = facts.epoch;
  }
}

void Directory::erase(std::size_t n, const std::uint8_t* structures, const std::uint8_t* labels,
                      const std::uint8_t* commitments) {
  const View now(data_);
  Paths paths;
  LeafFacts facts;
  std::vector<std::uint64_t> log_offsets;
  log_offsets.reserve(n);
  std::vector<std::uint64_t> found;
  // This loop finds all leaves before the first value is erased, so that an absent leaf leaves all values unchanged.
  for (std::size_t i = 0; i < n; ++i) {
    const ByteSpan label(labels + i * vrf::kLabelLen, vrf::kLabelLen);
    if (commitments == nullptr) {
      log_offsets.push_back(find_existing(now, structures[i], label, paths));
      continue;
    }
    found.clear();
    if (copies_ != nullptr) {
      // Copies that are not in the trees yet must lose their values too.
      copies_->find(structures[i], label, found);
    }
    found.push_back(find_leaf(now, structures[i], label, paths));
    for (const std::uint64_t log_offset : found) {
      if (log_offset == kNoLogOffset) {
        continue;
      }
      data_->log.read_facts(log_offset, facts);
      if (std::ranges::equal(facts.commitment, std::span(commitments + i * vrf::kLabelLen, vrf::kLabelLen))) {
        log_offsets.push_back(log_offset);
      }
    }
  }
  data_->log.erase(log_offsets);
}

}  // namespace optiks::ozks
