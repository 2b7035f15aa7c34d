#include "optiks/ozks/verify/handover.h"

#include "optiks/base/sha256.h"

namespace optiks::ozks::verify {

Reason check_handover(const PeriodOfRecord& next, std::span<const VersionEntry> entries, const EndState& end) {
  // `next.first_epoch` is not 0 if `next.period` is not 0, so neither of the two subtractions wraps.
  if (next.period == 0 || next.period - 1 != end.period || next.first_epoch - 1 != end.last_epoch) {
    return Reason::kHandoverPeriod;
  }
  const bool begins_with_copy = !entries.empty() && entries.front().leaf_epoch == 0;
  if (end.version == 0) {
    return begins_with_copy ? Reason::kHandoverUnset : Reason::kValid;
  }
  if (!begins_with_copy) {
    return Reason::kHandoverMissing;
  }
  const VersionEntry& copy = entries.front();
  Hash hash;
  base::sha256(hash, copy.value);
  return copy.has_value && hash == end.value_sha256 ? Reason::kValid : Reason::kHandoverValue;
}

}  // namespace optiks::ozks::verify
