// Judges two leaf statements. The first four octets of the input are the length of the first statement.
#include "fuzz_support.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/leaves.h"

using namespace optiks::ozks::verify;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reader reader(ByteSpan(data, size));
  const ByteSpan first = reader.vector({0, kMax32});
  if (reader.failed()) {
    return 0;
  }
  const ByteSpan second = ByteSpan(data, size).subspan(4 + first.size());
  const Context context = fuzz::context_for(first);
  const Reason reason = judge_leaves(context, first, second);
  OPTIKS_CHECK(reason != Reason::kValid);
  // The verdict must not depend on the order of the statements.
  const bool proves = reason == Reason::kLeafContradicts;
  OPTIKS_CHECK(proves == (judge_leaves(context, second, first) == Reason::kLeafContradicts));
  OPTIKS_CHECK(judge_leaves(context, first, first) != Reason::kLeafContradicts);
  fuzz::check_reason(reason);
  return 0;
}
