// UserQueryList and UserMonitorQuery (docs/spec/rest.md section 4): questions about users in their binary form. The
// query-service passes the octets on without decoding them.
//
// Lifetime: as in verify/codec.h, every structure is a view into the octets of the list.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/codec.h"

namespace optiks::ozks {

using base::ByteSpan;

struct KnownKey {
  ByteSpan device;
  std::uint64_t version = 0;

  static KnownKey decode(verify::Reader& reader);
};

struct UserQuery {
  ByteSpan username;
  ByteSpan device;  // the one requested device; empty if all devices of the user are requested
  bool knows_user = false;
  std::uint64_t period = 0;  // period of the known versions
  std::uint64_t devices = 0;
  verify::List<KnownKey> keys;  // the ids are strictly increasing

  static UserQuery decode(verify::Reader& reader);
};

using UserQueryList = verify::List<UserQuery>;

// Decodes a UserQueryList, which must take up all of `octets`. Returns false if the octets do not decode, or break a
// rule of docs/spec/rest.md section 4 that can be checked without the log.
[[nodiscard]] bool read_user_queries(ByteSpan octets, UserQueryList& out);

struct Username {
  ByteSpan name;

  static Username decode(verify::Reader& reader);
};

struct NamedDevice {
  ByteSpan device;
  std::uint64_t from = 0;

  static NamedDevice decode(verify::Reader& reader);
};

struct UserMonitorQuery {
  ByteSpan user;
  verify::List<Username> usernames;
  std::uint64_t period = 0;        // period of the known versions
  std::uint64_t from = 0;          // first requested version of the list
  verify::List<NamedDevice> keys;  // the ids are strictly increasing
};

// Decodes a UserMonitorQuery, which must take up all of `octets`. Returns false in the same cases as
// read_user_queries().
[[nodiscard]] bool read_user_monitor_query(ByteSpan octets, UserMonitorQuery& out);

}  // namespace optiks::ozks
