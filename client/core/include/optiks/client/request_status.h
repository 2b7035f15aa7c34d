// Reads the status of requests for changes (docs/spec/rest.md section 5, docs/spec/erasure.md section 4). A status is
// only the server's statement. Lookups prove what the log shows; nothing proves an erasure.
//
// Members that this reader does not know are ignored. A member that it knows must have its type if it is present.
// Memory is bounded by the longest answer, kMaxStatusLen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "optiks/client/octets.h"
#include "optiks/client/request_body.h"
#include "optiks/client/version_number.h"
#include "optiks/ozks/verify/facts.h"

namespace optiks::client {

// The server holds the request durably, and no epoch has it yet.
struct PendingRequest {
  bool operator==(const PendingRequest&) const = default;
};

// The log refused the request as a whole.
struct RefusedRequest {
  std::string reason;                      // 1 to 64 of the characters a to z and '-'
  std::optional<std::uint32_t> item{};     // the number of the refused item; always nullopt for an erasure
  std::optional<VersionNumber> current{};  // the latest version of that item's key

  bool operator==(const RefusedRequest&) const = default;
};

// A leaf that a request made.
struct PublishedItem {
  Bytes key{};  // 1 to 255 octets; empty if the server does not name it, as after an erasure (name_items)
  VersionNumber version{};
  std::uint8_t structure = ozks::verify::kKeys;
  std::uint32_t item = 0;  // the item's number in the request, at most 2^31 - 1

  bool operator==(const PublishedItem&) const = default;
};

enum class RequestKind : std::uint8_t { kKeys, kUser };

// A signed epoch has the request.
struct PublishedRequest {
  // The kind that the link to the proof names; nullopt without a link, or if the client does not know the link. The
  // items do not tell the kind, because a change of a user may publish nothing but keys of devices.
  std::optional<RequestKind> kind{};
  std::uint64_t epoch = 0;
  std::vector<PublishedItem> items{};  // not empty

  bool operator==(const PublishedRequest&) const = default;
};

using UpdateStatus = std::variant<PendingRequest, PublishedRequest, RefusedRequest>;

// Reads the status of an update or of a change of a user. Returns nullopt if the answer is not such a status.
[[nodiscard]] std::optional<UpdateStatus> read_update_status(ByteSpan answer);

// Adds the keys that the server did not name. The items' numbers tell which keys of the request they are.
void name_items(std::vector<PublishedItem>& items, ByteSpan user, const std::vector<UserChange>& changes);

// A version whose value an erasure destroyed. The server does not name its key.
struct ErasedVersion {
  std::uint8_t structure = ozks::verify::kKeys;
  VersionNumber version{};
  std::uint64_t epoch = 0;  // the epoch that published the version

  bool operator==(const ErasedVersion&) const = default;
};

// A signed epoch erased the versions.
struct ErasedRequest {
  std::uint64_t epoch = 0;
  std::vector<ErasedVersion> erased{};  // leaves out versions that had no value any more

  bool operator==(const ErasedRequest&) const = default;
};

using ErasureStatus = std::variant<PendingRequest, ErasedRequest, RefusedRequest>;

// Reads the status of an erasure. Returns nullopt if the answer is not such a status, or if it lists a version that was
// not to be erased. `period` is the log's current period as far as the client knows, 2^64 - 1 if it knows none.
[[nodiscard]] std::optional<ErasureStatus> read_erasure_status(ByteSpan answer, const Erasure& erasure,
                                                               std::uint64_t period);

}  // namespace optiks::client
