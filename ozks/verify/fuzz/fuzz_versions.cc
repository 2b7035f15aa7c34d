// Verifies a HistoryAnswer or MonitorAnswer for one key. The first octet of the input selects the client's known state.
#include <vector>

#include "fuzz_support.h"
#include "optiks/base/check.h"

using namespace optiks::ozks::verify;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint8_t kKey[] = {'a', 'l', 'i', 'c', 'e'};
  if (size == 0) {
    return 0;
  }
  KeyState state;
  state.known.version = data[0] >> 4;
  // An even version stands for a client in the middle of a history of several pages: the last page claimed that the key
  // has one version more than the client knows.
  if (state.known.version % 2 == 0) {
    state.known.page_version = state.known.version == 0 ? 0 : state.known.version + 1;
  } else {
    state.known.has_absent = true;
  }
  const ByteSpan input(data + 1, size - 1);
  const Context context = fuzz::context_for(input);
  VersionsAnswerVerifier verifier;
  Reason reason = verifier.begin(context, input, 1);
  if (reason != Reason::kValid) {
    fuzz::check_reason(reason);
    return 0;
  }
  std::vector<VersionEntry> entries(verifier.num_entries());
  VersionsResult result;
  reason = verifier.next(kKey, state, entries, result);
  fuzz::check_reason(reason);
  if (reason == Reason::kValid) {
    OPTIKS_CHECK(result.num_entries == entries.size());
    for (const VersionEntry& entry : entries) {
      OPTIKS_CHECK(fuzz::within(input, entry.value));
    }
  }
  return 0;
}
