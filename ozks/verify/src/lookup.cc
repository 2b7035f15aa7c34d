#include "optiks/ozks/verify/lookup.h"

#include <span>

#include "labels.h"
#include "optiks/ozks/verify/ladder.h"
#include "try.h"
#include "version_checks.h"

namespace optiks::ozks::verify {
namespace {

// A source of the VRF proofs of a Lookup: first the proofs of the ladder's versions, then the proofs of the absent
// versions.
class LookupProofs final : public ProofSource {
 public:
  LookupProofs(const Lookup& lookup, std::span<const std::uint64_t> rungs,
               std::span<const std::uint64_t> absent_versions)
      : rungs_(rungs),
        member_(lookup.members.begin()),
        absent_versions_(absent_versions),
        absent_(lookup.absent.begin()) {}

  bool next(std::uint64_t& version, ByteSpan& proof) override {
    return next_of(rungs_, member_, version, proof) || next_of(absent_versions_, absent_, version, proof);
  }

 private:
  template <typename Iterator>
  static bool next_of(std::span<const std::uint64_t>& versions, Iterator& sent, std::uint64_t& version,
                      ByteSpan& proof) {
    if (versions.empty()) {
      return false;
    }
    version = versions.front();
    proof = sent->vrf_proof;
    versions = versions.subspan(1);
    ++sent;
    return true;
  }

  std::span<const std::uint64_t> rungs_;
  List<Member>::Iterator member_;
  std::span<const std::uint64_t> absent_versions_;
  List<NonMember>::Iterator absent_;
};

}  // namespace

Reason read_vrf_key(const EpochRecord& record, std::uint8_t structure, vrf::PublicKey& out) {
  const bool is_valid =
      vrf::PublicKey::parse_vartime(record.structure(structure).vrf_public_key, out) == vrf::Reason::kValid;
  return is_valid ? Reason::kValid : Reason::kVrfKeyInvalid;
}

StructureView structure_view(const EpochRecord& record, std::uint8_t structure, const vrf::PublicKey& vrf_public_key,
                             std::uint32_t max_value_len) {
  const StructureState& state = record.structure(structure);
  const bool per_period = is_per_period(structure);
  return {.structure = structure,
          .epoch = record.epoch,
          .period = per_period ? record.period : 0,
          .period_first_epoch = per_period ? record.period_first_epoch : 0,
          .count = state.count,
          .root = state.root,
          .vrf_public_key = &vrf_public_key,
          .max_value_len = max_value_len};
}

Reason verify_lookup(const StructureView& view, ByteSpan key, const Known& kept, const Lookup& lookup,
                     LookupResult& out) {
  const Known known = known_in(view, kept);
  const std::uint64_t a = lookup.version;
  OPTIKS_TRY(check_version_range(view, a));
  if (a < known.version) {
    return Reason::kVersionRegressed;
  }
  const VersionSet rungs = ladder(a, known.version);
  const VersionSet absent_versions = next_rungs(a);
  if (lookup.members.size() != rungs.size() || lookup.absent.size() != absent_versions.size()) {
    return Reason::kLadderCount;
  }

  LookupProofs proofs(lookup, rungs.get(), absent_versions.get());
  LabelStream labels(view, key, proofs);
  std::optional<Previous> previous;
  VersionEntry entry;
  entry.time = known.time;
  std::span<const std::uint64_t> versions = rungs.get();
  bool begins_with_copy = false;
  for (const Member& member : lookup.members) {
    const std::uint64_t version = versions.front();
    versions = versions.subspan(1);
    const Kind kind = version == a ? Kind::kOpened : Kind::kCommitted;
    OPTIKS_TRY(check_member(view, known, version, previous, member, kind, labels, entry));
    begins_with_copy = begins_with_copy || (version == 1 && entry.leaf_epoch == 0);
    previous = Previous{version, entry.time};
  }
  for (const NonMember& absent : lookup.absent) {
    OPTIKS_TRY(check_absent(view, absent, labels));
  }
  out = {a, entry.time, entry.leaf_epoch, entry.has_value, entry.value, begins_with_copy};
  return Reason::kValid;
}

}  // namespace optiks::ozks::verify
