#include "optiks/ozks/verify/user_monitor.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "try.h"
#include "user_entries.h"

namespace optiks::ozks::verify {

UserMonitorAnswer UserMonitorAnswer::decode(Reader& reader) {
  UserMonitorAnswer answer;
  answer.head = Head::decode(reader);
  answer.names = List<Entry>::decode(reader, kNamesBounds);
  answer.decommissioned = Entry::decode(reader);
  if (!answer.decommissioned.present) {
    answer.devices = Versions::decode(reader);
    answer.keys = List<Versions>::decode(reader, kKeysBounds);
  }
  return answer;
}

Reason UserMonitorVerifier::begin(const Context& context, ByteSpan answer, const OwnQuery& query,
                                  const OwnState& state) {
  configuration_ = context.anchor.configuration;
  user_ = query.user;
  state_ = state;
  known_ = state.keys;
  OPTIKS_TRY(decode_whole(answer, answer_));
  // In a log that reassigns usernames, the query must not have names; owners use lookups to see to whom a name leads.
  if (configuration_.username_reuse != 0 && !query.names.empty()) {
    return Reason::kConfiguration;
  }
  OPTIKS_TRY(verify_head(context, answer_.head, head_));
  if (answer_.names.size() != query.names.size()) {
    return Reason::kAnswerCount;
  }
  OPTIKS_TRY(read_vrf_keys(head_.record, vrf_keys_));
  if (head_.record.epoch < state.least_epoch) {
    return Reason::kStale;
  }
  OPTIKS_TRY(check_names(query));
  return check_decommissioned(view(kDecommissioned), user_, state.has_left, answer_.decommissioned);
}

// Does steps 6 and 7 of docs/spec/user-monitor.md section 4.
Reason UserMonitorVerifier::check_names(const OwnQuery& query) const {
  const auto refers_to_head = [](const Entry& entry) { return entry.record == 0; };
  if (!refers_to_head(answer_.decommissioned) || !std::ranges::all_of(answer_.names, refers_to_head)) {
    return Reason::kPartUnknown;
  }
  const StructureView names = view(kUsernames);
  auto name = query.names.begin();
  for (const Entry& entry : answer_.names) {
    OPTIKS_TRY(entry.present ? check_present(names, *name, entry.member) : Reason::kUserChanged);
    if (!std::ranges::equal(entry.member.value, user_)) {
      return Reason::kUserChanged;
    }
    ++name;
  }
  return Reason::kValid;
}

StructureView UserMonitorVerifier::view(std::uint8_t structure) const {
  return structure_view(head_.record, structure, vrf_keys_[structure_index(structure)], configuration_.max_value_len);
}

std::size_t UserMonitorVerifier::num_key_versions() const {
  std::size_t count = 0;
  for (const Versions& versions : answer_.keys) {
    count += versions.members.size();
  }
  return count;
}

// True if the kept list is of the answer's period. The verifier ignores state from other periods.
bool UserMonitorVerifier::has_kept_list() const {
  return !state_.list.empty() && state_.devices.period == head_.record.period;
}

template <typename Take>
Reason UserMonitorVerifier::for_each_list(const Take& take) const {
  if (has_kept_list()) {
    OPTIKS_TRY(take(state_.list));
  }
  for (const Member& member : answer_.devices.members) {
    if (member.opened) {
      OPTIKS_TRY(take(member.value));
    }
  }
  return Reason::kValid;
}

Reason UserMonitorVerifier::read_list(std::span<VersionEntry> entries, VersionsResult& out) {
  OPTIKS_CHECK(!has_left());
  OPTIKS_TRY(verify_versions(view(kDevices), user_, state_.devices, answer_.devices, entries, out));
  if (out.version == 0) {
    return Reason::kDevicesMissing;
  }
  num_ids_ = state_.keys.size();
  return for_each_list([&](ByteSpan octets) {
    List<Device> list;
    OPTIKS_TRY(read_device_list(octets, configuration_, list));
    num_ids_ += list.size();
    kept_list_ = octets;
    return Reason::kValid;
  });
}

Reason UserMonitorVerifier::follow(std::span<ByteSpan> room) {
  OPTIKS_CHECK(room.size() >= num_ids_);
  std::size_t count = 0;
  for (const KnownDevice& named : state_.keys) {
    room[count++] = named.id;
  }
  const auto add_ids = [&](ByteSpan octets) {
    List<Device> list;
    OPTIKS_CHECK(read_device_list(octets, configuration_, list) == Reason::kValid);
    for (const Device& device : list) {
      room[count++] = device.id;
    }
    return Reason::kValid;
  };
  OPTIKS_TRY(for_each_list(add_ids));
  const std::span<ByteSpan> found = room.first(count);
  std::ranges::sort(found, is_before);
  const auto end = std::unique(found.begin(), found.end(), [](ByteSpan a, ByteSpan b) { return equal(a, b); });
  ids_ = found.first(static_cast<std::size_t>(end - found.begin()));
  if (answer_.keys.size() != ids_.size()) {
    return Reason::kDeviceCount;
  }
  position_.emplace(answer_.keys.begin());
  return Reason::kValid;
}

Reason UserMonitorVerifier::next(std::span<VersionEntry> entries, DeviceVersions& out) {
  OPTIKS_CHECK(position_ && !ids_.empty());
  const ByteSpan id = ids_.front();
  ids_ = ids_.subspan(1);
  const Versions versions = **position_;
  ++*position_;
  // The named ids and the followed ids are both in increasing order, and every named id is followed.
  const bool is_named = !known_.empty() && std::ranges::equal(known_.front().id, id);
  const Known known = is_named ? known_.front().known : Known();
  known_ = known_.subspan(is_named ? 1 : 0);
  out.id = id;
  return verify_versions(view(kKeys), id, known, versions, entries, out.versions);
}

}  // namespace optiks::ozks::verify
