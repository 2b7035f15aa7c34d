#include "pahd/user_queries.h"

#include <algorithm>

namespace optiks::ozks {
namespace {

constexpr std::uint64_t kMax24 = 0xffffff;

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
  key.device = reader.vector(1, verify::kMaxKeyLen);
  key.version = reader.integer(8);
  return key;
}

UserQuery UserQuery::decode(verify::Reader& reader) {
  UserQuery query;
  query.username = reader.vector(1, verify::kMaxKeyLen);
  query.device = reader.vector(0, verify::kMaxKeyLen);
  query.knows_user = reader.discriminant(2) == 1;
  query.period = reader.integer(8);
  query.devices = reader.integer(8);
  query.keys = verify::List<KnownKey>::decode(reader, 0, kMax24);
  return query;
}

bool read_user_queries(ByteSpan octets, UserQueryList& out) {
  verify::Reader reader(octets);
  out = UserQueryList::decode(reader, 1, kMax24);
  if (reader.finish() != verify::Reason::kValid) {
    return false;
  }
  for (const UserQuery& query : out) {
    if (!is_sound(query)) {
      return false;
    }
  }
  return true;
}

}  // namespace optiks::ozks
