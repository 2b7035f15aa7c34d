// Verifies a PeriodsAnswer that begins with period 0, for a client that keeps no state.
#include "fuzz_support.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/periods.h"

using namespace optiks::ozks::verify;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input(data, size);
  PeriodsResult result;
  const Reason reason = verify_periods(fuzz::context_for(input), 0, input, result);
  if (reason == Reason::kValid) {
    OPTIKS_CHECK(result.num_bounds >= 1 && result.num_bounds <= result.bounds.size());
    for (const ByteSpan bound : std::span(result.bounds).first(result.num_bounds)) {
      OPTIKS_CHECK(bound.size() == kRecordLen && fuzz::within(input, bound));
    }
  }
  fuzz::check_reason(reason);
  return 0;
}
