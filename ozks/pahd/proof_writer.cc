#include "pahd/proof_writer.h"

#include <algorithm>
#include <array>

#include "optiks/ozks/verify/encode.h"

namespace optiks::ozks {

void ProofWriter::member(std::size_t i, bool opened, bool may_be_erased, const LeafRecord* known) {
  const Path& path = path_to(i);
  if (path.leaf == nullptr || path.common != verify::kLabelBits) {
    data_error("a version that the key table names is not in the tree: the stored leaves are not of these VRF secrets");
  }
  if (known == nullptr) {
    data_.log.read(path.log_offset, record_);
  }
  const LeafRecord& leaf = known == nullptr ? record_ : *known;
  if (opened && !leaf.has_value() && !may_be_erased) {
    throw DirectoryError(OPTIKS_E_ERASED, "the latest value of a key was erased");
  }
  verify::Member member;
  member.vrf_proof = labels_[i].proof;
  member.epoch = leaf.facts().epoch;
  member.opened = opened && leaf.has_value();
  if (member.opened) {
    member.opening = leaf.opening();
    member.value = leaf.value();
  } else {
    member.commitment = leaf.facts().commitment;
  }
  verify::encode_member(out_, member, path.above());
}

void ProofWriter::non_member(std::size_t i) {
  const Path& path = path_to(i);
  verify::NonMember proof;
  proof.vrf_proof = labels_[i].proof;
  LeafFacts facts;
  Hash prefix;
  if (path.leaf == nullptr) {
    proof.node = verify::NodeKind::kEmpty;
  } else if (path.common == verify::kLabelBits) {
    data_error("a version beyond the latest is in the tree");
  } else if (path.opened == nullptr) {
    data_.log.read_facts(path.log_offset, facts);
    proof.node = verify::NodeKind::kLeaf;
    proof.position = *path.leaf;
    proof.commitment = facts.commitment;
    proof.epoch = facts.epoch;
  } else {
    prefix = verify::prefix_of(*path.leaf, path.length);
    proof.node = verify::NodeKind::kInterior;
    proof.length = path.length;
    proof.position = prefix;
    proof.left = path.opened[0];
    proof.right = path.opened[1];
  }
  verify::encode_non_member(out_, proof, path.above());
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
