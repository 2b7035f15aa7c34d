// The records of periods' first and last epochs: docs/spec/periods.md section 4. Any thread, no state.
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

// Views into the answer.
struct PeriodsResult {
  VerifiedHead head;
  Head encoded_head;
  std::array<ByteSpan, kMaxPeriodBounds> bounds;  // records
  std::size_t num_bounds = 0;
};

// verify_periods: the bounds from `period` on, which is the kept record's or an earlier one. `out` is meaningful on
// kValid only.
Reason verify_periods(const Context& context, std::uint64_t period, ByteSpan octets, PeriodsResult& out);

}  // namespace optiks::ozks::verify
