// Tests the decoders of questions about users, whose octets the service gets from clients. For any octets, the decoded
// views must lie within the octets. They must also keep the rules on which the writers of answers rely.
#include <algorithm>

#include "optiks/base/check.h"
#include "pahd/user_queries.h"

using namespace optiks::ozks;

namespace {

bool is_key(ByteSpan key) { return !key.empty() && key.size() <= verify::kMaxKeyLen; }

// True if the view lies within the input. Empty views may point anywhere.
bool within(ByteSpan input, ByteSpan view) {
  return view.empty() || (view.data() >= input.data() && view.data() + view.size() <= input.data() + input.size());
}

void check(ByteSpan input, const UserQuery& query) {
  OPTIKS_CHECK(is_key(query.username) && within(input, query.username));
  OPTIKS_CHECK(query.device.size() <= verify::kMaxKeyLen && within(input, query.device));
  ByteSpan before;
  std::size_t num_keys = 0;
  for (const KnownKey& key : query.keys) {
    OPTIKS_CHECK(is_key(key.device) && within(input, key.device) && key.version != 0);
    OPTIKS_CHECK(std::ranges::lexicographical_compare(before, key.device));
    before = key.device;
    ++num_keys;
  }
  OPTIKS_CHECK(num_keys == query.keys.size());
  OPTIKS_CHECK(query.period == 0 || query.devices != 0 || num_keys != 0);
}

void check(ByteSpan input, const UserMonitorQuery& query) {
  OPTIKS_CHECK(is_key(query.user) && within(input, query.user) && query.from != 0);
  for (const Username& username : query.usernames) {
    OPTIKS_CHECK(is_key(username.name) && within(input, username.name));
  }
  ByteSpan before;
  for (const NamedDevice& key : query.keys) {
    OPTIKS_CHECK(is_key(key.device) && within(input, key.device) && key.from != 0);
    OPTIKS_CHECK(std::ranges::lexicographical_compare(before, key.device));
    before = key.device;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input(data, size);
  UserQueryList queries;
  if (read_user_queries(input, queries)) {
    OPTIKS_CHECK(queries.size() != 0);
    for (const UserQuery& query : queries) {
      check(input, query);
    }
  }
  UserMonitorQuery monitored;
  if (read_user_monitor_query(input, monitored)) {
    check(input, monitored);
  }
  return 0;
}
