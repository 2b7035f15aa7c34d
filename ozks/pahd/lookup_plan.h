// LookupPlan: what a Lookup (docs/spec/pahd.md section 2) shows of a key, found in the table of keys alone: before the
// VRF proofs are there.
//
// Thread safety: any thread, with a view that it holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "directory/data.h"
#include "optiks/ozks/verify/ladder.h"
#include "pahd/output.h"
#include "pahd/proof_batch.h"
#include "pahd/proof_writer.h"

namespace optiks::ozks {

// KnownVersion: a version that the client verified. It counts in its own period only.
struct KnownVersion {
  std::uint64_t period = 0;
  std::uint64_t version = 0;  // 0: none

  [[nodiscard]] std::uint64_t in(std::uint64_t of_period) const { return period == of_period ? version : 0; }
};

// check_can_answer: DirectoryError when the view's directory does not keep all values.
void check_can_answer(const View& view);

// latest_version: the key's at the view's epoch, 0 without one, and its record.
[[nodiscard]] std::uint64_t latest_version(const View& view, const Tag& key, LeafRecord& record);

// add_all adds versions of a key to a LabelProver or ProofBatch, or to what else takes labels.
template <typename Labels>
void add_all(const NamedKey& key, const verify::VersionSet& versions, Labels& labels) {
  for (const std::uint64_t version : versions.get()) {
    labels.add(key, version);
  }
}

struct LookupPlan {
  std::uint64_t version = 0;  // the latest; 0: none
  std::size_t num_members = 0;
  std::size_t num_absent = 0;
  LeafRecord latest;  // of the latest version

  // Finds the key, and adds the labels of its Lookup in their order.
  template <typename Labels>
  void make(const View& view, const NamedKey& key, const KnownVersion& known, Labels& labels) {
    version = latest_version(view, key.tag, latest);
    const verify::VersionSet members = verify::ladder(version, known.in(view.data().period));
    const verify::VersionSet absent = verify::next_rungs(version);
    num_members = members.size();
    num_absent = absent.size();
    add_all(key, members, labels);
    add_all(key, absent, labels);
  }

  // Writes the Lookup, whose labels begin at `next`, and moves that behind them.
  void write(ProofWriter& writer, std::size_t& next, Output& out) const;
};

}  // namespace optiks::ozks
