// Checks that the next period took over an owner's key with the right value (docs/spec/periods.md section 6). Any
// thread may call the function, which keeps no state.
#pragma once

#include <cstdint>
#include <span>

#include "optiks/ozks/verify/versions.h"

namespace optiks::ozks::verify {

// An owner's knowledge of a key at the last epoch of a period.
struct EndState {
  std::uint64_t period = 0;
  std::uint64_t last_epoch = 0;
  std::uint64_t version = 0;  // 0 if the key had no version in the period
  Hash value_sha256{};        // SHA-256 of the value of `version`
};

// The number and the first epoch of the period of a record. The record must be from an accepted answer.
struct PeriodOfRecord {
  std::uint64_t period = 0;
  std::uint64_t first_epoch = 0;
};

// Checks the hand-over of one key to the period after `end.period`. `entries` are the key's versions in an accepted
// answer of that period. The request must have asked for the versions from version 1 on. `entries` is empty if the key
// has no versions.
Reason check_handover(const PeriodOfRecord& next, std::span<const VersionEntry> entries, const EndState& end);

}  // namespace optiks::ozks::verify
