// Checks of an owner's own user: docs/spec/user-monitor.md. Any thread; one thread at a time for one object.
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
  Head head;
  List<Entry> names;
  Entry decommissioned;
  Versions devices;     // unless the user has left
  List<Versions> keys;  // unless the user has left

  static UserMonitorAnswer decode(Reader& reader);
};

struct OwnQuery {
  ByteSpan user;                    // id of the user, 1..255 octets
  std::span<const ByteSpan> names;  // 1..255 octets each
};

// The client's state of its own user (section 2), all of it from valid answers.
struct OwnState {
  std::uint64_t least_epoch = 0;
  bool has_left = false;
  Known devices;
  ByteSpan list;                      // the kept list, of the period of `devices`; empty: no list is kept
  std::span<const KnownDevice> keys;  // the ids that the query names, strictly increasing; version 0: nothing is known
                                      // of the key
};

struct DeviceVersions {
  ByteSpan id;
  VersionsResult versions;
};

// Verifies an answer about one user. Call begin. Unless the user has left, then call read_list, follow, and next once
// for each of num_keys. The first reason other than kValid ends the verification and invalidates all earlier results.
// The answer is a result (section 5) if the list and all keys are complete.
class UserMonitorVerifier {
 public:
  UserMonitorVerifier() = default;
  // Not copyable: views point at keys in the same object.
  UserMonitorVerifier(const UserMonitorVerifier&) = delete;
  UserMonitorVerifier& operator=(const UserMonitorVerifier&) = delete;

  // Does steps 1 to 8 of section 4. query and state must outlive the verification.
  Reason begin(const Context& context, ByteSpan answer, const OwnQuery& query, const OwnState& state);

  // Valid after begin.
  [[nodiscard]] const VerifiedHead& head() const { return head_; }
  [[nodiscard]] const Head& encoded_head() const { return answer_.head; }
  [[nodiscard]] bool has_left() const { return answer_.decommissioned.present; }
  // Return the capacities: for read_list, and for all calls of next together.
  [[nodiscard]] std::size_t num_list_versions() const { return answer_.devices.members.size(); }
  [[nodiscard]] std::size_t num_key_versions() const;

  // Does step 9 of section 4: verifies the list's versions.
  Reason read_list(std::span<VersionEntry> entries, VersionsResult& out);

  // Valid after read_list: the new kept list, empty if there is no list; and the capacity that follow needs. This
  // capacity is proportional to the octets of the proven lists and of `state`.
  [[nodiscard]] ByteSpan kept_list() const { return kept_list_; }
  [[nodiscard]] std::size_t num_ids() const { return num_ids_; }

  // Determines the followed ids by section 3, and checks the number of keys by step 10. room receives the followed ids,
  // and must outlive the verification.
  Reason follow(std::span<ByteSpan> room);

  // Valid after follow.
  [[nodiscard]] std::size_t num_keys() const { return ids_.size(); }

  // Does step 10 for the next id. entries has room for the entries of this id and of all following ids.
  Reason next(std::span<VersionEntry> entries, DeviceVersions& out);

 private:
  Reason check_names(const OwnQuery& query) const;
  [[nodiscard]] StructureView view(std::uint8_t structure) const;
  [[nodiscard]] bool has_kept_list() const;
  template <typename Take>
  void for_each_list(const Take& take) const;

  UserMonitorAnswer answer_;
  Configuration configuration_;
  ByteSpan user_;
  OwnState state_;
  VerifiedHead head_;
  std::array<vrf::PublicKey, kNumStructures> vrf_keys_;
  ByteSpan kept_list_;
  std::size_t num_ids_ = 0;
  std::span<const ByteSpan> ids_;  // the ids for which next was not called yet
  std::span<const KnownDevice> known_;
  std::optional<List<Versions>::Iterator> position_;
};

}  // namespace optiks::ozks::verify
