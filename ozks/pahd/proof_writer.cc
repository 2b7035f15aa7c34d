#include "pahd/proof_writer.h"

#include <algorithm>
#include <array>

namespace optiks::ozks {
namespace {

enum MemberKind : std::uint8_t { kCommitted = 0, kOpened = 1 };
enum NodeKind : std::uint8_t { kEmpty = 0, kInterior = 1, kLeaf = 2 };

void put_path(Output& out, std::span<const Step> steps) {
  std::array<std::uint8_t, verify::kHashLen> mask{};
  for (const Step& step : steps) {
    mask[step.length / 8] = static_cast<std::uint8_t>(mask[step.length / 8] | (0x80U >> (step.length % 8)));
  }
  out.put(mask);
  out.put_integer(steps.size() * verify::kHashLen, 2);
  for (std::size_t i = steps.size(); i-- > 0;) {
    out.put(*steps[i].sibling);
  }
}

}  // namespace

void ProofWriter::member(std::size_t i, bool opened, bool may_be_erased, const LeafRecord* known) {
  const Path& path = path_to(i);
  if (path.leaf == nullptr || path.common != verify::kLabelBits) {
    data_error("a version that the key table names is not in the tree: the stored leaves are not of these VRF secrets");
  }
  if (known == nullptr) {
    data_.log.read(path.log_offset, record_);
  }
  const LeafRecord& leaf = known == nullptr ? record_ : *known;
  out_.put(labels_[i].proof);
  out_.put_integer(leaf.facts().epoch, 8);
  if (opened && !leaf.has_value() && !may_be_erased) {
    throw DirectoryError(OPTIKS_E_ERASED, "the latest value of a key was erased");
  }
  if (opened && leaf.has_value()) {
    out_.put_integer(kOpened, 1);
    out_.put(leaf.opening());
    out_.put_integer(leaf.value().size(), 3);
    out_.put(leaf.value());
  } else {
    out_.put_integer(kCommitted, 1);
    out_.put(leaf.facts().commitment);
  }
  put_path(out_, path.above());
}

void ProofWriter::non_member(std::size_t i) {
  const Path& path = path_to(i);
  out_.put(labels_[i].proof);
  if (path.leaf == nullptr) {
    out_.put_integer(kEmpty, 1);
    return;
  }
  if (path.common == verify::kLabelBits) {
    data_error("a version beyond the latest is in the tree");
  }
  if (path.opened == nullptr) {
    LeafFacts facts;
    data_.log.read_facts(path.log_offset, facts);
    out_.put_integer(kLeaf, 1);
    out_.put(*path.leaf);
    out_.put(facts.commitment);
    out_.put_integer(facts.epoch, 8);
  } else {
    out_.put_integer(kInterior, 1);
    out_.put_integer(path.length, 1);
    out_.put(verify::prefix_of(*path.leaf, path.length));
    out_.put(path.opened[0]);
    out_.put(path.opened[1]);
  }
  put_path(out_, path.above());
}

const Path& ProofWriter::path_to(std::size_t i) {
  if (i - first_path_ >= num_paths_) {
    first_path_ = i;
    const std::uint8_t structure = labels_.structure(i);
    const std::size_t most = std::min(Paths::kMax, labels_.size() - i);
    num_paths_ = 1;
    while (num_paths_ < most && labels_.structure(i + num_paths_) == structure) {
      ++num_paths_;
    }
    std::array<ByteSpan, Paths::kMax> labels;
    for (std::size_t j = 0; j < num_paths_; ++j) {
      labels[j] = labels_[i + j].label;
    }
    data_.trees->walk_many(trees_[structure_index(structure)], std::span(labels).first(num_paths_), paths_);
    for (std::size_t j = 0; j < num_paths_; ++j) {
      const Path& path = paths_.paths[j];
      // This proof of absence shows a leaf with another label. It needs data from the record of that leaf.
      if (path.leaf != nullptr && path.opened == nullptr && path.common != verify::kLabelBits) {
        data_.log.prefetch(path.log_offset);
      }
    }
  }
  return paths_.paths[i - first_path_];
}

}  // namespace optiks::ozks
