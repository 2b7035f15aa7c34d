// Verifies an answer to an owner about its own user. One owner keeps no state; the other keeps the first page of a
// history. The context accepts any signature, so changes after the head leave the head valid.
#include <vector>

#include "fuzz_support.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/user_monitor.h"

using namespace optiks::ozks::verify;

namespace {

Reason verify(const Context& context, ByteSpan input, const OwnQuery& query, const OwnState& state) {
  UserMonitorVerifier verifier;
  Reason reason = verifier.begin(context, input, query, state);
  if (reason != Reason::kValid || verifier.has_left()) {
    return reason;
  }
  std::vector<VersionEntry> list(verifier.num_list_versions());
  VersionsResult devices;
  reason = verifier.read_list(list, devices);
  if (reason != Reason::kValid) {
    return reason;
  }
  OPTIKS_CHECK(devices.num_entries == list.size());
  std::vector<ByteSpan> ids(verifier.num_ids());
  reason = verifier.follow(ids);
  if (reason != Reason::kValid) {
    return reason;
  }
  OPTIKS_CHECK(verifier.num_keys() <= ids.size());
  std::vector<VersionEntry> entries(verifier.num_key_versions());
  std::size_t used = 0;
  for (std::size_t left = verifier.num_keys(); left != 0; --left) {
    DeviceVersions key;
    reason = verifier.next(std::span(entries).subspan(used), key);
    if (reason != Reason::kValid) {
      return reason;
    }
    used += key.versions.num_entries;
  }
  OPTIKS_CHECK(used == entries.size());
  for (const VersionEntry& entry : entries) {
    OPTIKS_CHECK(fuzz::within(input, entry.value));
  }
  return reason;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint8_t kUser[] = {'i', 'd', '-', 'a', 'l', 'i', 'c', 'e'};
  constexpr std::uint8_t kName[] = {'a', 'l', 'i', 'c', 'e'};
  constexpr std::uint8_t kList[] = {0, 0, 6, 2, 'a', '1', 2, 'a', '2'};
  constexpr std::uint8_t kDevice[] = {'a', '1'};
  const ByteSpan input(data, size);
  const Context context = fuzz::context_for(input);
  const ByteSpan names[] = {kName};
  fuzz::check_reason(verify(context, input, {kUser, names}, {}));
  fuzz::check_reason(verify(context, input, {kUser, {}}, {}));
  OwnState kept;
  kept.devices.version = 1;
  kept.devices.time = 1;
  kept.devices.page_version = 2;
  kept.list = kList;
  const KnownDevice named[] = {{kDevice, {}}};
  kept.keys = named;
  fuzz::check_reason(verify(context, input, {kUser, {}}, kept));
  return 0;
}
