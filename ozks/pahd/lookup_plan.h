// LookupPlan: the versions of a key that a Lookup (docs/spec/pahd.md section 2) shows. The plan needs only the key
// table and the leaf log, so it is made before the VRF proofs.
//
// Thread safety: any thread that holds a view may make a plan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "directory/data.h"
#include "optiks/ozks/verify/ladder.h"
#include "pahd/output.h"
#include "pahd/proof_batch.h"
#include "pahd/proof_writer.h"

namespace optiks::ozks {

// A version that the client has verified. It counts only in the period in which the client verified it.
struct KnownVersion {
  std::uint64_t period = 0;
  std::uint64_t version = 0;  // 0 if the client knows no version

  [[nodiscard]] std::uint64_t in(std::uint64_t of_period) const { return period == of_period ? version : 0; }
};

// Throws DirectoryError if the view's directory does not keep all values.
void check_can_answer(const View& view);

// Returns the key's latest version at the view's epoch, and reads the version's record. Returns 0 if the key has no
// version.
[[nodiscard]] std::uint64_t latest_version(const View& view, const Tag& key, LeafRecord& record);

// Adds the labels of these versions of a key to `labels`: a LabelProver, a ProofBatch, or another object that takes
// labels.
template <typename Labels>
void add_all(const NamedKey& key, const verify::VersionSet& versions, Labels& labels) {
  for (const std::uint64_t version : versions.get()) {
    labels.add(key, version);
  }
}

struct LookupPlan {
  std::uint64_t version = 0;  // latest version, or 0 if the key has no version
  std::size_t num_members = 0;
  std::size_t num_absent = 0;
  LeafRecord latest;  // record of the latest version

  // Finds the key's latest version, and adds to `labels` the labels of the key's Lookup, in the order in which write()
  // needs them.
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

  // Writes the Lookup. The index of its first label is `next`; the call sets `next` to the index after its last label.
  void write(ProofWriter& writer, std::size_t& next, Output& out) const;
};

}  // namespace optiks::ozks
