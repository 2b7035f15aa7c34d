// Verifies an answer about one user, for a client that keeps no state. Input changes after the head leave the head
// valid.
#include <vector>

#include "fuzz_support.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/users.h"

using namespace optiks::ozks::verify;

namespace {

Reason verify(const Context& context, ByteSpan input) {
  constexpr std::uint8_t kName[] = {'a', 'l', 'i', 'c', 'e'};
  UserAnswerVerifier verifier;
  Reason reason = verifier.begin(context, input, 1);
  if (reason != Reason::kValid) {
    return reason;
  }
  std::vector<DeviceResult> devices(verifier.num_devices());
  UserResult result;
  reason = verifier.next({kName, {}}, {}, devices, result);
  if (reason == Reason::kValid) {
    reason = verifier.finish();
  }
  if (reason == Reason::kValid) {
    OPTIKS_CHECK(result.num_devices <= devices.size());
    OPTIKS_CHECK(result.generation <= kMaxGenerations);
    OPTIKS_CHECK(fuzz::within(input, result.user) && fuzz::within(input, result.list));
    for (const DeviceResult& device : std::span(devices).first(result.num_devices)) {
      OPTIKS_CHECK(fuzz::within(input, device.id) && fuzz::within(input, device.key.value));
    }
  }
  return reason;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input(data, size);
  Context context = fuzz::context_for(input);
  fuzz::check_reason(verify(context, input));
  context.anchor.configuration.username_reuse = 1;
  fuzz::check_reason(verify(context, input));

  List<Device> list;
  fuzz::check_reason(read_device_list(input, context.anchor.configuration, list));
  return 0;
}
