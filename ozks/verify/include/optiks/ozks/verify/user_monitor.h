// What an owner checks of its own user: docs/spec/user-monitor.md. Any thread; one thread at a time for one object.
//
// Lifetime: as in codec.h, everything is a view into the octets of the answer, or into what the caller keeps.
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
  ByteSpan user;                    // its id, 1..255 octets
  std::span<const ByteSpan> names;  // 1..255 octets each
};

// OwnState: what a verifier brings (section 2), all of it from valid answers.
struct OwnState {
  std::uint64_t least_epoch = 0;
  bool has_left = false;
  Known devices;
  ByteSpan list;                      // the kept list, of the period of `devices`; empty: none
  std::span<const KnownDevice> keys;  // the ids that the query names, strictly increasing; version 0: nothing known
};

struct DeviceVersions {
  ByteSpan id;
  VersionsResult versions;
};

// UserMonitorVerifier goes through an answer about one user: begin; then, unless the user has left, read_list, follow,
// and one next for each of num_keys. The first reason that is not kValid ends it, and nothing that was given before
// counts. The answer is a result (section 5) if the list and all keys are complete.
class UserMonitorVerifier {
 public:
  UserMonitorVerifier() = default;
  // Views point at the keys beside them.
  UserMonitorVerifier(const UserMonitorVerifier&) = delete;
  UserMonitorVerifier& operator=(const UserMonitorVerifier&) = delete;

  // Section 4 steps 1 to 8. query and state outlive the verification.
  Reason begin(const Context& context, ByteSpan answer, const OwnQuery& query, const OwnState& state);

  // Valid after begin.
  [[nodiscard]] const VerifiedHead& head() const { return head_; }
  [[nodiscard]] const Head& encoded_head() const { return answer_.head; }
  [[nodiscard]] bool has_left() const { return answer_.decommissioned.present; }
  // Capacities that read_list, and all calls of next together, need.
  [[nodiscard]] std::size_t num_list_versions() const { return answer_.devices.members.size(); }
  [[nodiscard]] std::size_t num_key_versions() const;

  // Step 9.
  Reason read_list(std::span<VersionEntry> entries, VersionsResult& out);

  // Valid after read_list: the kept list from now on, empty if there is none; and the capacity that follow needs, which
  // is in proportion to octets of proven lists and of `state`.
  [[nodiscard]] ByteSpan kept_list() const { return kept_list_; }
  [[nodiscard]] std::size_t num_ids() const { return num_ids_; }

  // Section 3, and the number of keys of step 10. room keeps the followed ids, and outlives the verification.
  Reason follow(std::span<ByteSpan> room);

  // Valid after follow.
  [[nodiscard]] std::size_t num_keys() const { return ids_.size(); }

  // Step 10, the next id. entries: room for what is left of num_key_versions.
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
  std::span<const ByteSpan> ids_;  // those for which next was not called yet
  std::span<const KnownDevice> known_;
  std::optional<List<Versions>::Iterator> position_;
};

}  // namespace optiks::ozks::verify
