// Verifies the bounds of periods: the records of their first and last epochs (docs/spec/periods.md section 4). Any
// thread may call the function, which keeps no state.
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

// The result of verify_periods(). All its views point into the answer.
struct PeriodsResult {
  VerifiedHead head;
  Head encoded_head;
  std::array<ByteSpan, kMaxPeriodBounds> bounds;  // records
  std::size_t num_bounds = 0;
};

// Verifies a PeriodsAnswer whose bounds begin with `period`, which must be the kept record's period or an earlier
// period. `out` is meaningful only if the function returns kValid.
Reason verify_periods(const Context& context, std::uint64_t period, ByteSpan octets, PeriodsResult& out);

}  // namespace optiks::ozks::verify
