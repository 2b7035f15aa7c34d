#include "version_checks.h"

#include "optiks/ozks/verify/member.h"
#include "try.h"

namespace optiks::ozks::verify {

Known known_in(const StructureView& view, const Known& known) {
  if (known.period == view.period) {
    return known;
  }
  Known nothing;
  nothing.period = view.period;
  return nothing;
}

Reason check_version_range(const StructureView& view, std::uint64_t a) {
  const std::uint64_t num_epochs = view.epoch - view.period_first_epoch;
  // In a period after the first, a key may have one version more than in the first period, because a copy is version 1
  // already in the period's first epoch.
  const bool in_range = a <= num_epochs || (view.period > 0 && a - 1 <= num_epochs);
  return in_range ? Reason::kValid : Reason::kVersionRange;
}

Reason check_member(const StructureView& view, const Known& known, std::uint64_t version,
                    const std::optional<Previous>& previous, const Member& member, Kind kind, LabelStream& labels,
                    VersionEntry& out) {
  if (kind != Kind::kEither && member.opened != (kind == Kind::kOpened)) {
    return Reason::kMemberKind;
  }
  if (member.value.size() > view.max_value_len) {
    return Reason::kValueTooLong;
  }
  ByteSpan label;
  OPTIKS_TRY(labels.next(label));
  OPTIKS_TRY(verify_member(label, view.root, member));
  if (member.epoch > view.epoch) {
    return Reason::kLeafEpochFuture;
  }
  const bool is_copy = version == 1 && member.epoch == 0 && view.period > 0;
  if (member.epoch <= view.period_first_epoch && !is_copy) {
    return Reason::kLeafEpochPeriod;
  }
  const std::uint64_t time = is_copy ? view.period_first_epoch : member.epoch;
  // If the answer does not show the previous version, the client's known absence bounds the time. Version w + 1 was
  // absent at epoch n, so the time of version i is at least n + (i - w).
  std::optional<Previous> bound = previous;
  if (!bound && known.has_absent) {
    bound = Previous{known.version, known.absent_epoch};
  }
  if (bound && (time < bound->time || time - bound->time < version - bound->version)) {
    return Reason::kLeafEpochOrder;
  }
  out = {version, member.epoch, time, member.opened, member.value};
  return Reason::kValid;
}

Reason check_absent(const StructureView& view, const NonMember& proof, LabelStream& labels) {
  ByteSpan label;
  OPTIKS_TRY(labels.next(label));
  return verify_non_member(label, view.root, view.count, proof);
}

}  // namespace optiks::ozks::verify
