// Verifies answers about users (docs/spec/users.md, docs/spec/recycled-names.md). Any thread may use the verifier, but
// only one thread at a time may use an object.
//
// Lifetime: as in codec.h, every result is a view into the octets of the answer, or into the state that the caller
// keeps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "optiks/ozks/verify/answers.h"
#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/lookup.h"

namespace optiks::ozks::verify {

struct PartRecord {
  ByteSpan record;  // kRecordLen
  ByteSpan inclusion;

  static PartRecord decode(Reader& reader);
};

// A proof that a key of an oZKS is present or absent in the tree of a record; `record` is the number of this record in
// the answer.
struct Entry {
  std::uint8_t record = 0;
  bool present = false;
  Member member;     // set if the key is present
  NonMember absent;  // set if the key is absent

  static Entry decode(Reader& reader);
};

struct VersionedEntry {
  std::uint8_t record = 0;
  Lookup lookup;

  static VersionedEntry decode(Reader& reader);
};

// The generations of a username: a proof of all users to whom the username has led, and entries that show that all
// these users but the last have left.
struct Generations {
  static constexpr VectorBounds kLeftBounds{0, kMax24};

  std::uint8_t record = 0;
  Versions names;
  List<Entry> left;

  static Generations decode(Reader& reader);
};

enum class UserKind : std::uint8_t { kNone = 0, kLeft = 1, kCurrent = 2 };
// This number is added to a UserLookup's encoded kind if it has Generations instead of an entry for the name.
inline constexpr std::uint8_t kByGenerations = 4;

struct UserLookup {
  static constexpr VectorBounds kKeysBounds{0, kMax32};

  UserKind kind = UserKind::kNone;
  std::optional<Generations> generations;  // set instead of `name` in a log that reassigns usernames
  std::optional<Entry> name;
  Entry decommissioned;       // set unless kind is kNone
  VersionedEntry devices;     // set if kind is kCurrent
  List<VersionedEntry> keys;  // set if kind is kCurrent

  static UserLookup decode(Reader& reader);
};

struct UserLookupAnswer {
  static constexpr VectorBounds kPartsBounds{0, kMax16};
  static constexpr VectorBounds kUsersBounds{1, kMax32};

  Head head;
  List<PartRecord> parts;
  List<UserLookup> users;

  static UserLookupAnswer decode(Reader& reader);
};

struct Device {
  ByteSpan id;

  static Device decode(Reader& reader);
};

// Decodes a DeviceList, but does not check its order and bounds. Returns false if the octets do not decode.
[[nodiscard]] bool decode_device_list(ByteSpan octets, List<Device>& out);
// Decodes a DeviceList and checks its order and bounds; returns kDeviceList if they are invalid.
Reason read_device_list(ByteSpan octets, const Configuration& configuration, List<Device>& out);

// A client's knowledge of the key of one device.
struct KnownDevice {
  ByteSpan id;
  Known known;
};

// A client's kept state of one user (docs/spec/users.md section 2). All of it must be from valid answers.
struct UserState {
  std::uint64_t least_epoch = 0;  // the largest of the epochs that the client keeps with the members below
  ByteSpan user;                  // id of the user, or empty if it is unknown
  std::uint32_t generation = 0;   // generation of the username at which it led to `user`; 0 if no user is known, or
                                  // the log does not reassign usernames
  bool has_left = false;
  Known devices;
  ByteSpan list;                      // the DeviceList of version `devices.version`
  std::span<const KnownDevice> keys;  // the ids are strictly increasing
};

// The client's question about one user.
struct UserQuery {
  ByteSpan username;  // 1..255 octets
  ByteSpan device;    // empty if all devices are requested
};

struct DeviceResult {
  ByteSpan id;
  std::uint64_t record_epoch = 0;  // the absent_epoch n that the client keeps for the key
  LookupResult key;
};

struct UserResult {
  UserKind kind = UserKind::kNone;
  ByteSpan user;                    // id of the user, unless kind is kNone
  std::uint32_t generation = 0;     // generation of the username; 0 if kind is kNone, or the log reassigns no usernames
  std::uint64_t epoch = 0;          // e*, the epoch of the answer
  std::uint64_t largest_epoch = 0;  // auditors must cover the log up to this epoch
  // The members below are set only if kind is kCurrent.
  std::uint64_t devices_epoch = 0;  // the absent_epoch n that the client keeps for the list
  LookupResult devices;             // its value, if the answer has one, is the octets of the list
  ByteSpan list;                    // the DeviceList, from the answer or the kept state
  std::size_t num_devices = 0;      // number of elements of `devices` that next() wrote
};

// Verifies an answer about `num_users` users. The caller calls begin(), then next() once for each user in the order of
// the request, then finish(). The verification ends when a call returns another reason than kValid; all earlier results
// are then invalid.
class UserAnswerVerifier {
 public:
  UserAnswerVerifier() = default;
  // An object cannot be copied, because its views point at keys in the same object.
  UserAnswerVerifier(const UserAnswerVerifier&) = delete;
  UserAnswerVerifier& operator=(const UserAnswerVerifier&) = delete;

  // Does docs/spec/users.md section 4 up to the step that reads the VRF keys.
  Reason begin(const Context& context, ByteSpan answer, std::size_t num_users);

  // Valid after begin.
  [[nodiscard]] const VerifiedHead& head() const { return head_; }
  [[nodiscard]] const Head& encoded_head() const { return answer_.head; }
  // Returns the record of the largest epoch in the answer, which the client keeps (docs/spec/users.md section 2).
  [[nodiscard]] ByteSpan newest_record() const;
  // Returns the number of keys of all users together. All next() calls together write at most this number of results.
  [[nodiscard]] std::size_t num_devices() const;

  // Verifies the answer about the next user by docs/spec/users.md section 5. `devices` must have room for the results
  // of this user and of all later users.
  Reason next(const UserQuery& query, const UserState& state, std::span<DeviceResult> devices, UserResult& out);

  // Does step 8 of docs/spec/users.md section 4.
  [[nodiscard]] Reason finish() const;

 private:
  // The maximum number of parts, because the vector of parts has at most 2^16 - 1 octets.
  static constexpr std::size_t kMaxParts = 0xffff / (kRecordLen + 2);

  Reason check_parts(const Context& context);
  // Collects the records to which the entries of one user refer.
  struct Reach {
    // Among the records that show an absence: the number of the record with the smallest epoch.
    std::optional<std::size_t> first_absence;
    std::optional<std::size_t> latest;
  };
  // Adds record `number` to `reach`. Returns false if the answer has no record with this number.
  bool refer(std::uint8_t number, bool shows_absence, Reach& reach);
  bool refer_all(const UserLookup& user, Reach& reach);
  [[nodiscard]] EpochRecord record(std::size_t number) const { return read_record(records_[number]); }
  [[nodiscard]] StructureView view(std::uint8_t number, std::uint8_t structure) const;
  // True if the log reassigns usernames.
  [[nodiscard]] bool by_generations() const { return configuration_.username_reuse != 0; }
  Reason check_kinds(const UserLookup& user) const;
  Reason check_name(const UserLookup& user, const UserQuery& query, const UserState& state, UserResult& out) const;
  Reason check_generations(const Generations& shown, const UserQuery& query, const UserState& state,
                           UserResult& out) const;
  Reason check_left(const Generations& shown, std::span<const VersionEntry> names) const;
  Reason check_devices(const UserLookup& user, const UserState& state, UserResult& out) const;
  Reason check_keys(const UserLookup& user, const UserQuery& query, const UserState& state,
                    std::span<DeviceResult> devices, UserResult& out) const;

  UserLookupAnswer answer_;
  Configuration configuration_;
  std::uint64_t now_ms_ = 0;
  VerifiedHead head_;
  std::size_t num_records_ = 0;  // number of records in the answer: the head's record and the records of the parts
  std::array<ByteSpan, 1 + kMaxParts> records_;  // the head's record, then the records of the parts
  std::array<bool, 1 + kMaxParts> is_referred_to_{};
  std::array<vrf::PublicKey, kNumStructures> vrf_keys_;
  std::optional<List<UserLookup>::Iterator> position_;
  std::size_t left_ = 0;
};

}  // namespace optiks::ozks::verify
