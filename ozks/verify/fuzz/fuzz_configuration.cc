// Reads a configuration.
#include "fuzz_support.h"
#include "optiks/base/check.h"

using namespace optiks::ozks::verify;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input(data, size);
  Configuration configuration;
  const Reason reason = read_configuration(input, configuration);
  fuzz::check_reason(reason);
  OPTIKS_CHECK(reason != Reason::kValid ||
               (fuzz::within(input, configuration.origin) && !configuration.origin.empty()));
  return 0;
}
