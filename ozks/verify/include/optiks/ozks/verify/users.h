// Answers about users: docs/spec/users.md, docs/spec/recycled-names.md. Any thread; one thread at a time for one
// object.
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

// An entry of an oZKS: present or absent in the tree of the record that it refers to.
struct Entry {
  std::uint8_t record = 0;
  bool present = false;
  Member member;     // if present
  NonMember absent;  // if absent

  static Entry decode(Reader& reader);
};

struct VersionedEntry {
  std::uint8_t record = 0;
  Lookup lookup;

  static VersionedEntry decode(Reader& reader);
};

// The generations of a username: all users to whom the username has led, and entries which show that all these users
// but the last have left.
struct Generations {
  std::uint8_t record = 0;
  Versions names;
  List<Entry> left;

  static Generations decode(Reader& reader);
};

enum class UserKind : std::uint8_t { kNone = 0, kLeft = 1, kCurrent = 2 };
// This number is added to the kind of a user whose name is shown by generations.
inline constexpr std::uint8_t kByGenerations = 4;

struct UserLookup {
  UserKind kind = UserKind::kNone;
  std::optional<Generations> generations;  // instead of the name, in a log whose usernames are used again
  std::optional<Entry> name;
  Entry decommissioned;       // unless kNone
  VersionedEntry devices;     // if kCurrent
  List<VersionedEntry> keys;  // if kCurrent

  static UserLookup decode(Reader& reader);
};

struct UserLookupAnswer {
  Head head;
  List<PartRecord> parts;
  List<UserLookup> users;

  static UserLookupAnswer decode(Reader& reader);
};

struct Device {
  ByteSpan id;

  static Device decode(Reader& reader);
};

// Reads only the layout of a DeviceList. Returns false if the octets do not have this layout.
[[nodiscard]] bool decode_device_list(ByteSpan octets, List<Device>& out);
// Decodes a DeviceList and checks its order and bounds; returns kDeviceList if they are invalid.
Reason read_device_list(ByteSpan octets, const Configuration& configuration, List<Device>& out);

// A client's knowledge of a device's key.
struct KnownDevice {
  ByteSpan id;
  Known known;
};

// A client's state of one user (section 2), all of it from valid answers.
struct UserState {
  std::uint64_t least_epoch = 0;  // the largest of the epochs that are kept with the members below
  ByteSpan user;                  // id of the user; empty: unknown
  std::uint32_t generation = 0;   // which generation of the username `user` is; 0: no user is known, or names are not
                                  // used again
  bool has_left = false;
  Known devices;
  ByteSpan list;                      // the DeviceList of the known version
  std::span<const KnownDevice> keys;  // ids strictly increasing
};

// The request about one user.
struct UserQuery {
  ByteSpan username;  // 1..255 octets
  ByteSpan device;    // empty: all devices
};

struct DeviceResult {
  ByteSpan id;
  std::uint64_t record_epoch = 0;  // n of the key from now on
  LookupResult key;
};

struct UserResult {
  UserKind kind = UserKind::kNone;
  ByteSpan user;                    // id of the user, unless kNone
  std::uint32_t generation = 0;     // generation of the username; 0: kNone, or names are not used again
  std::uint64_t epoch = 0;          // e*: the epoch of the answer
  std::uint64_t largest_epoch = 0;  // the largest epoch up to which auditors have to cover the log
  // If kCurrent:
  std::uint64_t devices_epoch = 0;  // n of the list from now on
  LookupResult devices;             // the value of this result, if sent, is the octets of the list
  ByteSpan list;                    // the DeviceList, sent or kept
  std::size_t num_devices = 0;      // number of results that were written
};

// Verifies an answer about `num_users` users: call begin, then next once for each user in the order of the request,
// then finish. The first reason other than kValid ends the verification and invalidates all earlier results.
class UserAnswerVerifier {
 public:
  UserAnswerVerifier() = default;
  // Not copyable: views point at keys in the same object.
  UserAnswerVerifier(const UserAnswerVerifier&) = delete;
  UserAnswerVerifier& operator=(const UserAnswerVerifier&) = delete;

  // Does section 4 up to the step that reads the VRF keys.
  Reason begin(const Context& context, ByteSpan answer, std::size_t num_users);

  // Valid after begin.
  [[nodiscard]] const VerifiedHead& head() const { return head_; }
  [[nodiscard]] const Head& encoded_head() const { return answer_.head; }
  // Returns the record of the largest epoch in the answer, which the client keeps (section 2).
  [[nodiscard]] ByteSpan newest_record() const;
  // Returns the number of keys of all users together, which is the room for the results of all `next` calls.
  [[nodiscard]] std::size_t num_devices() const;

  // Verifies the answer about the next user by section 5. devices has room for the results of this user and of all
  // following users.
  Reason next(const UserQuery& query, const UserState& state, std::span<DeviceResult> devices, UserResult& out);

  // Does step 8 of section 4.
  [[nodiscard]] Reason finish() const;

 private:
  // The number of parts that fit into a vector of 2^16 - 1 octets.
  static constexpr std::size_t kMaxParts = 0xffff / (kRecordLen + 2);

  Reason check_parts(const Context& context);
  // Collects the records to which the entries of one user refer.
  struct Reach {
    // The record of the smallest epoch among the records that show an absence.
    std::optional<std::size_t> first_absence;
    std::optional<std::size_t> latest;
  };
  // Returns false if the answer has no such record.
  bool refer(std::uint8_t number, bool shows_absence, Reach& reach);
  bool refer_all(const UserLookup& user, Reach& reach);
  [[nodiscard]] EpochRecord record(std::size_t number) const { return read_record(records_[number]); }
  [[nodiscard]] StructureView view(std::uint8_t number, std::uint8_t structure) const;
  // True if usernames are used again.
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
  std::size_t num_records_ = 0;                  // number of records: the head's and those of the parts
  std::array<ByteSpan, 1 + kMaxParts> records_;  // the first is the head's record
  std::array<bool, 1 + kMaxParts> is_referred_to_{};
  std::array<vrf::PublicKey, kNumStructures> vrf_keys_;
  std::optional<List<UserLookup>::Iterator> position_;
  std::size_t left_ = 0;
};

}  // namespace optiks::ozks::verify
