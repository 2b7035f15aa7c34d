// Erasing values of leaves (docs/spec/erasure.md), and the names of the leaves that a key's versions have.
#include <vector>

#include "directory/directory.h"
#include "leaves/directory_error.h"

namespace optiks::ozks {
namespace {

// Walks to one leaf of the view's tree; its place in the leaf log. DirectoryError when it is not there.
std::uint64_t find_leaf(const View& view, std::uint8_t structure, ByteSpan label, Paths& paths) {
  view.data().trees->walk_many(view.state().trees[structure - 1U], {&label, 1}, paths);
  const Path& path = paths.paths[0];
  if (path.leaf == nullptr || path.common != verify::kLabelBits) {
    data_error("there is no leaf with this label");
  }
  return path.log_offset;
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
    data_->log.read_facts(find_leaf(now, structure, {out_labels + i * vrf::kLabelLen, vrf::kLabelLen}, paths), facts);
    out_epochs[i] = facts.epoch;
  }
}

void Directory::erase(std::size_t n, const std::uint8_t* structures, const std::uint8_t* labels) {
  const View now(data_);
  Paths paths;
  std::vector<std::uint64_t> log_offsets(n);
  // All are found before the first is erased.
  for (std::size_t i = 0; i < n; ++i) {
    log_offsets[i] = find_leaf(now, structures[i], {labels + i * vrf::kLabelLen, vrf::kLabelLen}, paths);
  }
  data_->log.erase(log_offsets);
}

}  // namespace optiks::ozks
