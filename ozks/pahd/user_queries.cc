#include "pahd/user_queries.h"

#include <algorithm>

namespace optiks::ozks {
namespace {

bool is_sound(const UserQuery& query) {
  ByteSpan before;
  bool knows_version = query.devices != 0;
  for (const KnownKey& key : query.keys) {
    if (key.version == 0 || !std::ranges::lexicographical_compare(before, key.device)) {
      return false;
    }
    before = key.device;
    knows_version = true;
  }
  return knows_version || query.period == 0;
}

}  // namespace

KnownKey KnownKey::decode(verify::Reader& reader) {
  KnownKey key;
  key.device = reader.vector(verify::kKeyBounds);
  key.version = reader.integer(8);
  return key;
}

UserQuery UserQuery::decode(verify::Reader& reader) {
  UserQuery query;
  query.username = reader.vector(verify::kKeyBounds);
  query.device = reader.vector({0, verify::kMaxKeyLen});
  query.knows_user = reader.discriminant(2) == 1;
  query.period = reader.integer(8);
  query.devices = reader.integer(8);
  query.keys = verify::List<KnownKey>::decode(reader, {0, verify::kMax24});
  return query;
}

bool read_user_queries(ByteSpan octets, UserQueryList& out) {
  verify::Reader reader(octets);
  out = UserQueryList::decode(reader, {1, verify::kMax24});
  return reader.finish() == verify::Reason::kValid && std::ranges::all_of(out, is_sound);
}

Username Username::decode(verify::Reader& reader) { return {reader.vector(verify::kKeyBounds)}; }

NamedDevice NamedDevice::decode(verify::Reader& reader) {
  NamedDevice key;
  key.device = reader.vector(verify::kKeyBounds);
  key.from = reader.integer(8);
  return key;
}

bool read_user_monitor_query(ByteSpan octets, UserMonitorQuery& out) {
  verify::Reader reader(octets);
  out.user = reader.vector(verify::kKeyBounds);
  out.usernames = verify::List<Username>::decode(reader, {0, verify::kMax16});
  out.period = reader.integer(8);
  out.from = reader.integer(8);
  out.keys = verify::List<NamedDevice>::decode(reader, {0, verify::kMax24});
  if (reader.finish() != verify::Reason::kValid || out.from == 0) {
    return false;
  }
  ByteSpan before;
  bool knows_version = out.from > 1;
  for (const NamedDevice& key : out.keys) {
    if (key.from == 0 || !std::ranges::lexicographical_compare(before, key.device)) {
      return false;
    }
    before = key.device;
    knows_version = knows_version || key.from > 1;
  }
  return knows_version || out.period == 0;
}

}  // namespace optiks::ozks
