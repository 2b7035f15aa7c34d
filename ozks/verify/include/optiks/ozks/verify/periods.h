// The records of the first and last epochs of periods: docs/spec/periods.md section 4. Any thread, no state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "optiks/ozks/verify/answers.h"
#include "optiks/ozks/verify/users.h"

namespace optiks::ozks::verify {

struct PeriodsAnswer {
  Head head;
  List<PartRecord> bounds;

  static PeriodsAnswer decode(Reader& reader);
};

// All members are views into the answer.
struct PeriodsResult {
  VerifiedHead head;
  Head encoded_head;
  std::array<ByteSpan, kMaxPeriodBounds> bounds;  // records
  std::size_t num_bounds = 0;
};

// Verifies the bounds from `period` on, which is the kept record's period or an earlier one. `out` is meaningful only
// on kValid.
Reason verify_periods(const Context& context, std::uint64_t period, ByteSpan octets, PeriodsResult& out);

}  // namespace optiks::ozks::verify
