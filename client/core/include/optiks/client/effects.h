// The effects that an operation asks of its host, and the host's replies, with their encoding: TLS presentation as in
// docs/spec/encoding.md section 2. The core encodes effects and decodes replies; the other directions are for tests and
// for hosts in C++. Decoding is strict, so that each value has exactly one encoding.
//
//   opaque Key<1..300>;
//   struct { Key key; opaque body<0..2^32-1>; } Put;
//   struct { uint8 present; select (present) { case 0: struct {}; case 1: opaque body<0..2^32-1>; }; } Body;
//
//   struct { uint32 id; uint8 kind; select (kind) { case 1: Http; case 2: Load; case 3: Commit; case 4: Wait;
//                                                   case 5: Progress; case 6: Result; }; } Effect;
//   struct { uint8 server; uint8 method; opaque target<1..2^16-1>; opaque accept<0..255>; opaque content_type<0..255>;
//            opaque body<0..2^32-1>; uint8 credential; uint32 max_len; uint32 within_ms; } Http;
//   struct { Key keys<0..2^24-1>; } Load;
//   struct { uint64 base; Put puts<0..2^32-1>; Key deletes<0..2^24-1>; } Commit;
//   struct { uint64 until_steady_ms; } Wait;
//   struct { uint32 pages; } Progress;
//   struct { opaque result<0..2^32-1>; } Result;
//
//   struct { uint8 outcome; uint16 status; opaque content_type<0..255>; uint32 retry_after_ms; } HttpReply;
//   struct { uint64 revision; Body bodies<0..2^32-1>; } LoadReply;
//   struct { uint8 outcome; } CommitReply;
//   struct {} WaitReply;
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "optiks/client/octets.h"

namespace optiks::client {

inline constexpr std::size_t kMaxRecordKeyLen = 300;

enum class HttpMethod : std::uint8_t { kGet = 1, kPost = 2 };

// One request to a server. The host sends it once, and follows no redirects.
struct Http {
  std::uint8_t server = 0;  // 0 is the update-service, i the i-th query-service
  HttpMethod method = HttpMethod::kGet;
  std::string target{};  // path and query, below the server's URL
  std::string accept{};
  std::string content_type{};
  Bytes body{};
  bool credential = false;      // sent with the credential, over https or to this machine, or not at all
  std::uint32_t max_len = 0;    // of the answer's body
  std::uint32_t within_ms = 0;  // 1 s more for each 16 KiB that arrived

  bool operator==(const Http&) const = default;
};

// Reads records, all at one moment.
struct Load {
  std::vector<Bytes> keys;

  bool operator==(const Load&) const = default;
};

struct Put {
  Bytes key;
  Bytes body{};

  bool operator==(const Put&) const = default;
};

// Changes records, if the state has still the revision `base`. The host applies all changes or none, and replies only
// after they are durable.
struct Commit {
  std::uint64_t base = 0;
  std::vector<Put> puts;
  std::vector<Bytes> deletes;

  bool operator==(const Commit&) const = default;
};

// Waits until the host's steady clock shows this time or later.
struct Wait {
  std::uint64_t until_steady_ms = 0;

  bool operator==(const Wait&) const = default;
};

// Tells how many pages of an answer were read so far. Needs no reply.
struct Progress {
  std::uint32_t pages = 0;

  bool operator==(const Progress&) const = default;
};

// Ends the operation. The command says what the octets are.
struct Done {
  Bytes result;

  bool operator==(const Done&) const = default;
};

struct Effect {
  std::uint32_t id = 0;
  std::variant<Http, Load, Commit, Wait, Progress, Done> what;

  bool operator==(const Effect&) const = default;

  [[nodiscard]] Bytes encode() const;
  static std::optional<Effect> decode(ByteSpan octets);
};

enum class HttpOutcome : std::uint8_t {
  kAnswer = 0,
  kUnreachable = 1,
  kLate = 2,
  kTooLong = 3,
  kInsecure = 4,      // the credential would have been sent without protection
  kNoCredential = 5,  // the host has none
};

// The answer's body is not a part of the reply: the host has written it into the core's memory.
struct HttpReply {
  HttpOutcome outcome = HttpOutcome::kAnswer;
  std::uint16_t status = 0;
  std::string content_type{};
  std::uint32_t retry_after_ms = 0;

  bool operator==(const HttpReply&) const = default;

  [[nodiscard]] Bytes encode() const;
  static std::optional<HttpReply> decode(ByteSpan octets);
};

// The records of a Load in the order of its keys; nullopt for a record that does not exist.
struct LoadReply {
  std::uint64_t revision = 0;
  std::vector<std::optional<Bytes>> bodies;

  bool operator==(const LoadReply&) const = default;

  [[nodiscard]] Bytes encode() const;
  // `num_keys` is the number of keys of the Load: a reply with another number of records is refused.
  static std::optional<LoadReply> decode(ByteSpan octets, std::size_t num_keys);
};

enum class CommitOutcome : std::uint8_t { kDone = 0, kConflict = 1, kFailed = 2 };

struct CommitReply {
  CommitOutcome outcome = CommitOutcome::kDone;

  bool operator==(const CommitReply&) const = default;

  [[nodiscard]] Bytes encode() const;
  static std::optional<CommitReply> decode(ByteSpan octets);
};

struct WaitReply {
  bool operator==(const WaitReply&) const = default;

  [[nodiscard]] static Bytes encode() { return {}; }
  static std::optional<WaitReply> decode(ByteSpan octets);
};

}  // namespace optiks::client
