// Answers about users: docs/spec/users.md, docs/spec/recycled-names.md. Any thread; one thread at a time for one
// object.
//
// Lifetime: as in codec.h, everything is a view into the octets of the answer, or into what the caller keeps.
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

// Entry of an oZKS: present or absent in the tree of the record that it refers to.
struct Entry {
  std::uint8_t record = 0;
  bool present = false;
  Member member;     // when present
  NonMember absent;  // when not

  static Entry decode(Reader& reader);
};

struct VersionedEntry {
  std::uint8_t record = 0;
  Lookup lookup;

  static VersionedEntry decode(Reader& reader);
};

// Generations of a username: all users that it led to, and that those before the last have left.
struct Generations {
  std::uint8_t record = 0;
  Versions names;
  List<Entry> left;

  static Generations decode(Reader& reader);
};

enum class UserKind : std::uint8_t { kNone = 0, kLeft = 1, kCurrent = 2 };
// What is added to the kind of a user whose name is shown by generations.
inline constexpr std::uint8_t kByGenerations = 4;

struct UserLookup {
  UserKind kind = UserKind::kNone;
  std::optional<Generations> generations;  // in a log whose usernames are used again, in place of the name
  std::optional<Entry> name;
  Entry decommissioned;       // unless kNone
  VersionedEntry devices;     // when kCurrent
  List<VersionedEntry> keys;  // when kCurrent

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

// decode_device_list reads the layout of a DeviceList alone; false if the octets have another.
[[nodiscard]] bool decode_device_list(ByteSpan octets, List<Device>& out);
// read_device_list decodes a DeviceList and checks its order and bounds: kDeviceList if it is none.
Reason read_device_list(ByteSpan octets, const Configuration& configuration, List<Device>& out);

// KnownDevice: what a verifier keeps of a device's key.
struct KnownDevice {
  ByteSpan id;
  Known known;
};

// UserState: what a verifier brings for one user (section 2), all of it from valid answers.
struct UserState {
  std::uint64_t least_epoch = 0;  // the largest of the epochs that are kept with what is below
  ByteSpan user;                  // its id; empty: not known
  std::uint32_t generation = 0;   // of the username, whose user that is; 0: none is known, or names are not used again
  bool has_left = false;
  Known devices;
  ByteSpan list;                      // the DeviceList of the known version
  std::span<const KnownDevice> keys;  // ids strictly increasing
};

// UserQuery: what was asked of one user.
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
  ByteSpan user;                    // its id, unless kNone
  std::uint32_t generation = 0;     // of the username; 0: kNone, or names are not used again
  std::uint64_t epoch = 0;          // e*: of this epoch the answer is
  std::uint64_t largest_epoch = 0;  // up to which auditors have to cover the log
  // When kCurrent:
  std::uint64_t devices_epoch = 0;  // n of the list from now on
  LookupResult devices;             // its value, when sent, is the list's octets
  ByteSpan list;                    // the DeviceList, sent or kept
  std::size_t num_devices = 0;      // results that were written
};

// UserAnswerVerifier goes through an answer about `num_users` users: begin, one next for each in the order asked, then
// finish. The first reason that is not kValid ends it, and nothing that was given before counts.
class UserAnswerVerifier {
 public:
  UserAnswerVerifier() = default;
  // Views point at the keys beside them.
  UserAnswerVerifier(const UserAnswerVerifier&) = delete;
  UserAnswerVerifier& operator=(const UserAnswerVerifier&) = delete;

  // Section 4 up to the VRF keys.
  Reason begin(const Context& context, ByteSpan answer, std::size_t num_users);

  // Valid after begin.
  [[nodiscard]] const VerifiedHead& head() const { return head_; }
  [[nodiscard]] const Head& encoded_head() const { return answer_.head; }
  // The record of the largest epoch among the answer's: the one to keep (section 2).
  [[nodiscard]] ByteSpan newest_record() const;
  // Keys of all users together: the room that the results of all `next` calls need.
  [[nodiscard]] std::size_t num_devices() const;

  // Section 5. devices: room for what is left of num_devices.
  Reason next(const UserQuery& query, const UserState& state, std::span<DeviceResult> devices, UserResult& out);

  // Section 4 step 8.
  [[nodiscard]] Reason finish() const;

 private:
  // As many as a vector of 2^16 - 1 octets holds.
  static constexpr std::size_t kMaxParts = 0xffff / (kRecordLen + 2);

  Reason check_parts(const Context& context);
  // Reach: numbers of the records that the entries of one user refer to.
  struct Reach {
    std::optional<std::size_t> first_absence;  // of those that show an absence, the one of the smallest epoch
    std::optional<std::size_t> latest;
  };
  // False if there is no such record.
  bool refer(std::uint8_t number, bool shows_absence, Reach& reach);
  bool refer_all(const UserLookup& user, Reach& reach);
  [[nodiscard]] EpochRecord record(std::size_t number) const { return read_record(records_[number]); }
  [[nodiscard]] StructureView view(std::uint8_t number, std::uint8_t structure) const;
  // Whether usernames are used again.
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
  std::size_t num_records_ = 0;                  // the head's and those of parts
  std::array<ByteSpan, 1 + kMaxParts> records_;  // the head's is the first
  std::array<bool, 1 + kMaxParts> is_referred_to_{};
  std::array<vrf::PublicKey, kNumStructures> vrf_keys_;
  std::optional<List<UserLookup>::Iterator> position_;
  std::size_t left_ = 0;
};

}  // namespace optiks::ozks::verify
