// Checks that the next period took over an owner's key: docs/spec/periods.md section 6. Any thread, no state.
#pragma once

#include <cstdint>
#include <span>

#include "optiks/ozks/verify/versions.h"

namespace optiks::ozks::verify {

// An owner's knowledge of a key at the last epoch of a period.
struct EndState {
  std::uint64_t period = 0;
  std::uint64_t last_epoch = 0;
  std::uint64_t version = 0;  // 0: the key had no version
  Hash value_sha256{};        // SHA-256 of that version's value
};

// The number and first epoch of a period, from the record of an accepted answer.
struct PeriodOfRecord {
  std::uint64_t period = 0;
  std::uint64_t first_epoch = 0;
};

// entries are the key's entries in an accepted answer of the next period, whose list begins with version 1.
Reason check_handover(const PeriodOfRecord& next, std::span<const VersionEntry> entries, const EndState& end);

}  // namespace optiks::ozks::verify
