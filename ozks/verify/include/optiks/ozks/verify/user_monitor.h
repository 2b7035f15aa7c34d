// Verifies answers in which owners learn about their own users (docs/spec/user-monitor.md). Any thread may use the
// verifier, but only one thread at a time may use an object.
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
#include "optiks/ozks/verify/users.h"
#include "optiks/ozks/verify/versions.h"

namespace optiks::ozks::verify {

struct UserMonitorAnswer {
  static constexpr VectorBounds kNamesBounds{0, kMax24};
  static constexpr VectorBounds kKeysBounds{0, kMax32};

  Head head;
  List<Entry> names;
  Entry decommissioned;
  Versions devices;     // present only if the user has not left
  List<Versions> keys;  // present only if the user has not left

  static UserMonitorAnswer decode(Reader& reader);
};

struct OwnQuery {
  ByteSpan user;                    // id of the user, 1..255 octets
  std::span<const ByteSpan> names;  // 1..255 octets each
};

// The client's kept state of its own user (docs/spec/user-monitor.md section 2). All of it must be from valid answers.
struct OwnState {
  std::uint64_t least_epoch = 0;
  bool has_left = false;
  Known devices;
  // The device list that the client keeps, from the period `devices.period`; empty if the client keeps no list.
  ByteSpan list;
  // One element for each device id that the query names, with the version of the device's key that the client knows.
  // The ids are strictly increasing. Version 0 means that the client knows no version.
  std::span<const KnownDevice> keys;
};

struct DeviceVersions {
  ByteSpan id;
  VersionsResult versions;
};

// Verifies an answer about one user. Call begin(). Then, unless the user has left, call read_list(), then follow(), and
// then next() as many times as num_keys() returns. The verification ends when a call returns another reason than
// kValid; all earlier results are then invalid. The answer is a result in the sense of docs/spec/user-monitor.md
// section 5 if the list and all keys are complete.
class UserMonitorVerifier {
 public:
  UserMonitorVerifier() = default;
  // An object cannot be copied, because its views point to VRF keys in the object.
  UserMonitorVerifier(const UserMonitorVerifier&) = delete;
  UserMonitorVerifier& operator=(const UserMonitorVerifier&) = delete;

  // Does steps 1 to 8 of docs/spec/user-monitor.md section 4. `query` and `state` must outlive the verification.
  Reason begin(const Context& context, ByteSpan answer, const OwnQuery& query, const OwnState& state);

  // Valid after begin.
  [[nodiscard]] const VerifiedHead& head() const { return head_; }
  [[nodiscard]] const Head& encoded_head() const { return answer_.head; }
  [[nodiscard]] bool has_left() const { return answer_.decommissioned.present; }
  // num_list_versions() returns the number of entries for which read_list() needs room. num_key_versions() returns the
  // number of entries for which all calls of next() together need room.
  [[nodiscard]] std::size_t num_list_versions() const { return answer_.devices.members.size(); }
  [[nodiscard]] std::size_t num_key_versions() const;

  // Does step 9 of docs/spec/user-monitor.md section 4: verifies the versions of the device list.
  Reason read_list(std::span<VersionEntry> entries, VersionsResult& out);

  // The two functions below may be called after read_list(). kept_list() returns the list that the client must keep
  // now; it is empty if the user has no list. num_ids() returns the number of ids for which follow() needs room; it is
  // proportional to the octets of the proven lists and of `state`.
  [[nodiscard]] ByteSpan kept_list() const { return kept_list_; }
  [[nodiscard]] std::size_t num_ids() const { return num_ids_; }

  // Determines the followed ids by docs/spec/user-monitor.md section 3, and checks by step 10 of section 4 that the
  // answer has one key for each followed id. `room` receives the followed ids, and must outlive the verification.
  Reason follow(std::span<ByteSpan> room);

  // Valid after follow.
  [[nodiscard]] std::size_t num_keys() const { return ids_.size(); }

  // Does step 10 of docs/spec/user-monitor.md section 4 for the next id. `entries` must have room for the entries of
  // this id and of all later ids.
  Reason next(std::span<VersionEntry> entries, DeviceVersions& out);

 private:
  Reason check_names(const OwnQuery& query) const;
  [[nodiscard]] StructureView view(std::uint8_t structure) const;
  [[nodiscard]] bool has_kept_list() const;
  // Calls `take` with each list of the answer's period, from the kept list on, until it returns another reason than
  // kValid. Returns the last reason.
  template <typename Take>
  Reason for_each_list(const Take& take) const;

  UserMonitorAnswer answer_;
  Configuration configuration_;
  ByteSpan user_;
  OwnState state_;
  VerifiedHead head_;
  std::array<vrf::PublicKey, kNumStructures> vrf_keys_;
  ByteSpan kept_list_;
  std::size_t num_ids_ = 0;
  std::span<const ByteSpan> ids_;  // the ids for which next() was not called yet
  std::span<const KnownDevice> known_;
  std::optional<List<Versions>::Iterator> position_;
};

}  // namespace optiks::ozks::verify
