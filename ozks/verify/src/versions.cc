#include "optiks/ozks/verify/versions.h"

#include <algorithm>

#include "labels.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/ladder.h"
#include "try.h"
#include "version_checks.h"

namespace optiks::ozks::verify {
namespace {

// A source of the VRF proofs of a Versions structure: first the proofs of the versions `from`, `from` + 1, ..., then
// the proofs of the absent versions.
class VersionsProofs final : public ProofSource {
 public:
  VersionsProofs(const Versions& versions, std::span<const std::uint64_t> absent_versions)
      : version_(versions.from),
        members_left_(versions.members.size()),
        member_(versions.members.begin()),
        absent_versions_(absent_versions),
        absent_(versions.absent.begin()) {}

  bool next(std::uint64_t& version, ByteSpan& proof) override {
    if (members_left_ != 0) {
      version = version_++;
      proof = member_->vrf_proof;
      --members_left_;
      ++member_;
      return true;
    }
    if (absent_versions_.empty()) {
      return false;
    }
    version = absent_versions_.front();
    proof = absent_->vrf_proof;
    absent_versions_ = absent_versions_.subspan(1);
    ++absent_;
    return true;
  }

 private:
  std::uint64_t version_;
  std::size_t members_left_;
  List<Member>::Iterator member_;
  std::span<const std::uint64_t> absent_versions_;
  List<NonMember>::Iterator absent_;
};

Reason check_shape(const StructureView& view, const Known& known, const Versions& versions) {
  OPTIKS_TRY(check_version_range(view, versions.version));
  if (versions.from != known.version + 1) {
    return Reason::kHistoryFrom;
  }
  return versions.version < std::max(known.version, known.page_version) ? Reason::kVersionRegressed : Reason::kValid;
}

}  // namespace

Reason verify_versions(const StructureView& view, ByteSpan key, const Known& kept, const Versions& versions,
                       std::span<VersionEntry> entries, VersionsResult& out) {
  const Known known = known_in(view, kept);
  const std::uint64_t a = versions.version;
  OPTIKS_TRY(check_shape(view, known, versions));
  const std::size_t num_members = versions.members.size();
  const std::uint64_t num_new = a - known.version;
  const bool complete = num_members == num_new;
  // Only an answer that ends the list proves versions absent.
  const VersionSet absent_versions = complete ? next_rungs(a) : VersionSet();
  if (num_members > num_new || (!complete && num_members == 0) || versions.absent.size() != absent_versions.size()) {
    return Reason::kLadderCount;
  }
  OPTIKS_CHECK(entries.size() >= num_members);

  VersionsProofs proofs(versions, absent_versions.get());
  LabelStream labels(view, key, proofs);
  // After a page, the time of the known version bounds the time of the next version. Otherwise check_member() uses the
  // epoch at which the next version was still absent.
  std::optional<Previous> previous;
  if (known.page_version > 0) {
    previous = Previous{known.version, known.time};
  }
  std::uint64_t version = versions.from;
  std::size_t written = 0;
  for (const Member& member : versions.members) {
    const Kind kind = version == a ? Kind::kOpened : Kind::kEither;
    VersionEntry& entry = entries[written++];
    OPTIKS_TRY(check_member(view, known, version, previous, member, kind, labels, entry));
    previous = Previous{version, entry.time};
    ++version;
  }
  for (const NonMember& absent : versions.absent) {
    OPTIKS_TRY(check_absent(view, absent, labels));
  }
  out = {a, versions.from, num_members, complete};
  return Reason::kValid;
}

}  // namespace optiks::ozks::verify
