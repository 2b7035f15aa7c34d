// Verifies a lookup answer of one key. The structures after the head are verified even if the head is refused.
#include "fuzz_support.h"
#include "optiks/base/check.h"

using namespace optiks::ozks::verify;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint8_t kKey[] = {'a', 'l', 'i', 'c', 'e'};
  const ByteSpan input(data, size);
  const Context context = fuzz::context_for(input);
  LookupAnswerVerifier verifier;
  LookupResult result;
  Reason reason = verifier.begin(context, input, 1);
  if (reason == Reason::kValid) {
    reason = verifier.next(kKey, {}, result);
  }
  fuzz::check_reason(reason);
  OPTIKS_CHECK(reason != Reason::kValid || fuzz::within(input, result.value));

  LookupAnswer answer;
  if (decode_whole(input, answer) != Reason::kValid) {
    return 0;
  }
  const EpochRecord record = read_record(answer.head.record);
  optiks::vrf::PublicKey key;
  if (record.period_first_epoch > record.epoch || read_vrf_key(record, kKeys, key) != Reason::kValid) {
    return 0;
  }
  const StructureView view = structure_view(record, kKeys, key, kDefaultMaxValueLen);
  for (const Lookup& lookup : answer.lookups) {
    fuzz::check_reason(verify_lookup(view, kKey, {}, lookup, result));
  }
  return 0;
}
