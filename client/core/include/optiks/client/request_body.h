// Writes the bodies of requests for changes (docs/spec/rest.md section 5, docs/spec/erasure.md section 4). Callers have
// checked the arguments by the rules of these pages and by the log's configuration.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "optiks/client/octets.h"
#include "optiks/client/version_number.h"

namespace optiks::client {

// A UUIDv7, in the order of its text. All tries of one request have the same id, so that the log applies it once.
using RequestId = std::array<std::uint8_t, 16>;

// Returns the text of an id, such as "0193a2f0-7c1e-7abc-8def-0123456789ab".
[[nodiscard]] std::string request_id_text(const RequestId& id);

// Returns the body of POST /v1/updates. Without `expected`, the update applies to any latest version. A request that
// asks for a receipt must have no `expected`.
[[nodiscard]] std::string update_body(const RequestId& id, ByteSpan key, ByteSpan value,
                                      const std::optional<VersionNumber>& expected, bool wants_receipt);

struct DeviceValue {
  Bytes device;
  Bytes value{};
};

// The changes of a user. Usernames are in the form that the log keeps (docs/spec/usernames.md).
struct CreateUser {
  std::vector<Bytes> usernames;
  std::vector<DeviceValue> devices{};
};
struct AddUsername {
  Bytes username;
};
struct AddDevice {
  DeviceValue device;
};
struct SetDevice {
  DeviceValue device;
  std::optional<VersionNumber> expected{};
};
struct RemoveDevice {
  Bytes device;
};
struct Decommission {};
using UserChange = std::variant<CreateUser, AddUsername, AddDevice, SetDevice, RemoveDevice, Decommission>;

// Returns the body of POST /v1/users.
[[nodiscard]] std::string user_body(const RequestId& id, ByteSpan user, const std::vector<UserChange>& changes);

// The versions `from` to `to` of a period.
struct VersionRange {
  std::uint64_t period = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

// Erases versions of a key.
struct KeyErasure {
  Bytes key;
  VersionRange versions{};
};
// Erases versions of a user's device list; without `versions` everything of a user who has left.
struct UserErasure {
  Bytes user;
  std::optional<VersionRange> versions{};
};
using Erasure = std::variant<KeyErasure, UserErasure>;

// Returns the body of POST /v1/erasures.
[[nodiscard]] std::string erasure_body(const RequestId& id, const Erasure& erasure);

}  // namespace optiks::client
