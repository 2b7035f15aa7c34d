#include "optiks/ozks/verify/lookup.h"

#include <span>

#include "labels.h"
#include "optiks/ozks/verify/ladder.h"
#include "version_checks.h"

namespace optiks::ozks::verify {
namespace {

// The proofs of a Lookup: those of the rungs, then that of a + 1.
class LookupProofs final : public ProofSource {
 public:
  LookupProofs(const Lookup& lookup, std::span<const std::uint64_t> rungs)
      : lookup_(lookup), rungs_(rungs), member_(lookup.members.begin()) {}

  bool next(std::uint64_t& version, ByteSpan& proof) override {
    if (!rungs_.empty()) {
      version = rungs_.front();
      proof = member_->vrf_proof;
      rungs_ = rungs_.subspan(1);
      ++member_;
      return true;
    }
    if (absent_sent_) {
      return false;
    }
    absent_sent_ = true;
    version = lookup_.version + 1;
    proof = lookup_.next.vrf_proof;
    return true;
  }

 private:
  const Lookup& lookup_;
  std::span<const std::uint64_t> rungs_;
  List<Member>::Iterator member_;
  bool absent_sent_ = false;
};

}  // namespace

Reason verify_lookup(const StructureView& view, ByteSpan key, const Known& kept, const Lookup& lookup,
                     LookupResult& out) {
  const Known known = known_in(view, kept);
  const std::uint64_t a = lookup.version;
  const Reason range = check_version_range(view, a);
  if (range != Reason::kValid) {
    return range;
  }
  if (a < known.version) {
    return Reason::kVersionRegressed;
  }
  const VersionSet rungs = ladder(a, known.version);
  if (lookup.members.size() != rungs.size()) {
    return Reason::kLadderCount;
  }

  LookupProofs proofs(lookup, rungs.get());
  LabelStream labels(view, key, proofs);
  std::optional<Previous> previous;
  VersionEntry entry;
  entry.time = known.time;
  auto member = lookup.members.begin();
  for (const std::uint64_t version : rungs.get()) {
    const Kind kind = version == a ? Kind::kOpened : Kind::kCommitted;
    const Reason reason = check_member(view, known, version, previous, *member, kind, labels, entry);
    if (reason != Reason::kValid) {
      return reason;
    }
    previous = Previous{version, entry.time};
    ++member;
  }
  const Reason absent = check_absent(view, lookup.next, labels);
  if (absent != Reason::kValid) {
    return absent;
  }
  out = {a, entry.time, entry.leaf_epoch, entry.has_value, entry.value};
  return Reason::kValid;
}

}  // namespace optiks::ozks::verify
