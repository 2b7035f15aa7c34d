#include "user_entries.h"

#include <algorithm>

#include "labels.h"
#include "optiks/ozks/verify/member.h"
#include "try.h"

namespace optiks::ozks::verify {
namespace {

constexpr std::uint8_t kHasLeft = 0x01;  // the value of each key in the structure `decommissioned`

Reason label_of(const StructureView& view, ByteSpan key, ByteSpan vrf_proof, Hash& out) {
  OneProof proof(0, vrf_proof);
  LabelStream labels(view, key, proof);
  ByteSpan label;
  OPTIKS_TRY(labels.next(label));
  std::ranges::copy(label, out.begin());
  return Reason::kValid;
}

}  // namespace

Reason read_vrf_keys(const EpochRecord& record, VrfKeys& out) {
  for (const std::uint8_t id : kStructures) {
    OPTIKS_TRY(read_vrf_key(record, id, out[structure_index(id)]));
  }
  return Reason::kValid;
}

Reason check_present(const StructureView& view, ByteSpan key, const Member& member) {
  if (!member.opened) {
    return Reason::kMemberKind;
  }
  if (member.value.size() > view.max_value_len) {
    return Reason::kValueTooLong;
  }
  Hash label;
  OPTIKS_TRY(label_of(view, key, member.vrf_proof, label));
  OPTIKS_TRY(verify_member(label, view.root, member));
  if (member.epoch > view.epoch) {
    return Reason::kLeafEpochFuture;
  }
  return member.epoch == 0 ? Reason::kLeafEpochPeriod : Reason::kValid;
}

Reason check_absent_entry(const StructureView& view, ByteSpan key, const NonMember& proof) {
  Hash label;
  OPTIKS_TRY(label_of(view, key, proof.vrf_proof, label));
  return verify_non_member(label, view.root, view.count, proof);
}

Reason check_decommissioned(const StructureView& view, ByteSpan user, bool has_left, const Entry& entry) {
  if (!entry.present) {
    return has_left ? Reason::kUserReturned : check_absent_entry(view, user, entry.absent);
  }
  OPTIKS_TRY(check_present(view, user, entry.member));
  const bool says_so = entry.member.value.size() == 1 && entry.member.value[0] == kHasLeft;
  return says_so ? Reason::kValid : Reason::kDecommissionValue;
}

}  // namespace optiks::ozks::verify
