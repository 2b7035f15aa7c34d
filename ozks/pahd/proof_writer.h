// ProofWriter: writes Member and NonMember structures (docs/spec/proofs.md) for the trees of one view. Their labels and
// VRF proofs come from a LabelProver whose run() has returned.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>

#include "directory/data.h"
#include "pahd/label_prover.h"
#include "pahd/output.h"

namespace optiks::ozks {

class ProofWriter {
 public:
  ProofWriter(const View& view, const LabelProver& labels, Output& out)
      : data_(view.data()), trees_(view.state().trees), labels_(labels), out_(out) {}

  // Writes the Member of label `i`. If `opened` is true, the Member has the value; `may_be_erased` then allows a Member
  // without a value if the value was erased. `known`: the leaf's record, or null if the caller has not read it.
  void member(std::size_t i, bool opened, bool may_be_erased, const LeafRecord* known);
  void non_member(std::size_t i);
  // Writes the NonMembers of `count` labels from label `next` on, and adds `count` to `next`.
  void non_members(std::size_t& next, std::size_t count) {
    for (const std::size_t end = next + count; next < end; ++next) {
      non_member(next);
    }
  }

 private:
  // Returns the path of label `i`. Also walks the paths of the following labels in the same tree, because they are
  // needed next.
  const Path& path_to(std::size_t i);

  DirectoryData& data_;
  const Trees& trees_;
  const LabelProver& labels_;
  Output& out_;
  std::size_t first_path_ = 0;
  std::size_t num_paths_ = 0;
  Paths paths_;
  LeafRecord record_;
};

}  // namespace optiks::ozks
