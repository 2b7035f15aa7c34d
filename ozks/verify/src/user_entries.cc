#include "user_entries.h"

#include <algorithm>

#include "labels.h"
#include "optiks/ozks/verify/member.h"

namespace optiks::ozks::verify {
namespace {

constexpr std::uint8_t kHasLeft = 0x01;  // the value of each key in the structure `decommissioned`

Reason label_of(const StructureView& view, ByteSpan key, ByteSpan vrf_proof, Hash& out) {
  OneProof proof(0, vrf_proof);
  LabelStream labels(view, key, proof);
  ByteSpan label;
  const Reason reason = labels.next(label);
  if (reason == Reason::kValid) {
    std::ranges::copy(label, out.begin());
  }
  return reason;
}

}  // namespace

Reason read_vrf_keys(const EpochRecord& record, VrfKeys& out) {
  for (const std::uint8_t id : kStructures) {
    const Reason reason = read_vrf_key(record, id, out[structure_index(id)]);
    if (reason != Reason::kValid) {
      return reason;
    }
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
  Reason reason = label_of(view, key, member.vrf_proof, label);
  if (reason == Reason::kValid) {
    reason = verify_member(label, view.root, member);
  }
  if (reason != Reason::kValid) {
    return reason;
  }
  if (member.epoch > view.epoch) {
    return Reason::kLeafEpochFuture;
  }
  return member.epoch == 0 ? Reason::kLeafEpochPeriod : Reason::kValid;
}

Reason check_absent_entry(const StructureView& view, ByteSpan key, const NonMember& proof) {
  Hash label;
  const Reason reason = label_of(view, key, proof.vrf_proof, label);
  return reason == Reason::kValid ? verify_non_member(label, view.root, view.count, proof) : reason;
}

Reason check_decommissioned(const StructureView& view, ByteSpan user, bool has_left, const Entry& entry) {
  if (!entry.present) {
    return has_left ? Reason::kUserReturned : check_absent_entry(view, user, entry.absent);
  }
  const Reason reason = check_present(view, user, entry.member);
  if (reason != Reason::kValid) {
    return reason;
  }
  const bool says_so = entry.member.value.size() == 1 && entry.member.value[0] == kHasLeft;
  return says_so ? Reason::kValid : Reason::kDecommissionValue;
}

}  // namespace optiks::ozks::verify
