#include "optiks/ozks/verify/users.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "optiks/ozks/verify/versions.h"
#include "try.h"
#include "user_entries.h"

namespace optiks::ozks::verify {
namespace {

bool has_leaf_after(const List<Member>& members, std::uint64_t epoch) {
  return std::ranges::any_of(members, [&](const Member& member) { return member.epoch > epoch; });
}

bool has_leaf_after(const Lookup& lookup, std::uint64_t epoch) { return has_leaf_after(lookup.members, epoch); }

// True if a leaf in the generations is of a later epoch than `epoch`. Callers have checked that every entry is present.
bool has_leaf_after(const Generations& generations, std::uint64_t epoch) {
  return has_leaf_after(generations.names.members, epoch) ||
         std::ranges::any_of(generations.left, [&](const Entry& entry) { return entry.member.epoch > epoch; });
}

bool has_device(const List<Device>& list, ByteSpan id) {
  return std::ranges::any_of(list, [&](const Device& device) { return std::ranges::equal(device.id, id); });
}

// True if a copy is missing, by docs/spec/users.md section 5 steps 6 and 7. A key or list that had a version in an
// earlier period begins each later period with a copy, as long as its user is current.
bool is_lost(const Known& known, std::uint64_t period, const LookupResult& shown) {
  return known.version != 0 && known.period < period && !shown.begins_with_copy;
}

// True if the client's kept list is of this period and has this id.
bool was_listed(const UserState& state, std::uint64_t period, ByteSpan id) {
  List<Device> list;
  return state.devices.version != 0 && state.devices.period == period && decode_device_list(state.list, list) &&
         has_device(list, id);
}

// True if a leaf of the user's entries is of a later epoch than `epoch` (docs/spec/users.md section 5 step 8).
bool has_leaf_after(const UserLookup& user, std::uint64_t epoch) {
  if (user.name && user.name->present && user.name->member.epoch > epoch) {
    return true;
  }
  if (user.generations && has_leaf_after(*user.generations, epoch)) {
    return true;
  }
  if (user.kind == UserKind::kLeft) {
    return user.decommissioned.member.epoch > epoch;
  }
  if (user.kind != UserKind::kCurrent) {
    return false;
  }
  return has_leaf_after(user.devices.lookup, epoch) ||
         std::ranges::any_of(user.keys, [&](const VersionedEntry& key) { return has_leaf_after(key.lookup, epoch); });
}

}  // namespace

bool decode_device_list(ByteSpan octets, List<Device>& out) {
  Reader reader(octets);
  out = List<Device>::decode(reader, {0, kMax24});
  return reader.finish() == Reason::kValid;
}

Reason read_device_list(ByteSpan octets, const Configuration& configuration, List<Device>& out) {
  if (!decode_device_list(octets, out) || out.size() > configuration.max_devices) {
    return Reason::kDeviceList;
  }
  ByteSpan before;
  for (const Device& device : out) {
    // Ids are never empty, so the first id comes after the empty string.
    if (device.id.size() > configuration.max_key_len || !is_before(before, device.id)) {
      return Reason::kDeviceList;
    }
    before = device.id;
  }
  return Reason::kValid;
}

Reason UserAnswerVerifier::begin(const Context& context, ByteSpan answer, std::size_t num_users) {
  configuration_ = context.anchor.configuration;
  now_ms_ = context.now_ms;
  OPTIKS_TRY(decode_whole(answer, answer_));
  OPTIKS_TRY(verify_head_of_any_time(context, answer_.head, head_));
  OPTIKS_TRY(check_parts(context));
  for (std::size_t i = 0; i < num_records_; ++i) {
    OPTIKS_TRY(check_not_from_future(record(i), configuration_, now_ms_));
  }
  if (answer_.users.size() != num_users) {
    return Reason::kAnswerCount;
  }
  OPTIKS_TRY(read_vrf_keys(head_.record, vrf_keys_));
  position_.emplace(answer_.users.begin());
  left_ = num_users;
  return Reason::kValid;
}

// Does step 3 of docs/spec/users.md section 4.
Reason UserAnswerVerifier::check_parts(const Context& context) {
  records_[0] = answer_.head.record;
  num_records_ = 1;
  for (const PartRecord& part : answer_.parts) {
    const EpochRecord found = read_record(part.record);
    OPTIKS_TRY(check_record(found, context.anchor));
    const bool in_order = num_records_ == 1 || found.epoch > record(num_records_ - 1).epoch;
    if (!in_order || found.epoch == head_.record.epoch) {
      return Reason::kPartOrder;
    }
    if (found.period != head_.record.period) {
      return Reason::kPartPeriod;
    }
    OPTIKS_TRY(check_included(found, head_.checkpoint, part.inclusion));
    if (context.kept_record) {
      OPTIKS_TRY(check_against_kept(found, *context.kept_record, context.anchor));
    }
    const bool is_later = found.epoch > head_.record.epoch;
    OPTIKS_TRY(check_record_after(is_later ? found : head_.record, is_later ? head_.record : found, configuration_));
    OPTIKS_CHECK(num_records_ < records_.size());
    records_[num_records_++] = part.record;
  }
  return Reason::kValid;
}

ByteSpan UserAnswerVerifier::newest_record() const {
  // The records of the parts are in the order of their epochs, so only the last of them can be newer than the head's
  // record.
  const std::size_t last = num_records_ - 1;
  return record(last).epoch > head_.record.epoch ? records_[last] : records_[0];
}

std::size_t UserAnswerVerifier::num_devices() const {
  std::size_t count = 0;
  for (const UserLookup& user : answer_.users) {
    count += user.keys.size();
  }
  return count;
}

StructureView UserAnswerVerifier::view(std::uint8_t number, std::uint8_t structure) const {
  return structure_view(record(number), structure, vrf_keys_[structure_index(structure)], configuration_.max_value_len);
}

bool UserAnswerVerifier::refer(std::uint8_t number, bool shows_absence, Reach& reach) {
  if (number >= num_records_) {
    return false;
  }
  is_referred_to_[number] = true;
  if (!reach.latest || record(number).epoch > record(*reach.latest).epoch) {
    reach.latest = number;
  }
  if (shows_absence && (!reach.first_absence || record(number).epoch < record(*reach.first_absence).epoch)) {
    reach.first_absence = number;
  }
  return true;
}

// Does step 1 of docs/spec/users.md section 5.
bool UserAnswerVerifier::refer_all(const UserLookup& user, Reach& reach) {
  bool is_known = !user.name || refer(user.name->record, !user.name->present, reach);
  if (user.generations) {
    is_known = is_known && refer(user.generations->record, true, reach);
    for (const Entry& entry : user.generations->left) {
      is_known = is_known && refer(entry.record, !entry.present, reach);
    }
  }
  if (user.kind != UserKind::kNone) {
    is_known = is_known && refer(user.decommissioned.record, !user.decommissioned.present, reach);
  }
  if (user.kind == UserKind::kCurrent) {
    is_known = is_known && refer(user.devices.record, true, reach);
    for (const VersionedEntry& key : user.keys) {
      is_known = is_known && refer(key.record, true, reach);
    }
  }
  return is_known;
}

Reason UserAnswerVerifier::next(const UserQuery& query, const UserState& state, std::span<DeviceResult> devices,
                                UserResult& out) {
  OPTIKS_CHECK(left_ != 0);
  const UserLookup user = **position_;
  ++*position_;
  --left_;
  Reach reach;
  if (!refer_all(user, reach)) {
    return Reason::kPartUnknown;
  }
  // The answer has no entry for the user, although each user has at least the entry for the name.
  if (!reach.latest) {
    return Reason::kUserNameMissing;
  }
  const EpochRecord record_of_answer = record(reach.first_absence.value_or(*reach.latest));
  UserResult result;
  result.kind = user.kind;
  result.epoch = record_of_answer.epoch;
  result.largest_epoch = record(*reach.latest).epoch;
  if (result.epoch < state.least_epoch) {
    return Reason::kStale;
  }
  OPTIKS_TRY(check_fresh(record_of_answer, configuration_, now_ms_));
  OPTIKS_TRY(check_kinds(user));
  OPTIKS_TRY(user.generations ? check_generations(*user.generations, query, state, result)
                              : check_name(user, query, state, result));
  if (user.kind != UserKind::kNone) {
    const Entry& entry = user.decommissioned;
    // The client's state is about the user of one generation of the username, so it is ignored if the name now leads to
    // the user of another generation.
    const bool has_left = state.has_left && (!by_generations() || result.generation == state.generation);
    OPTIKS_TRY(check_decommissioned(view(entry.record, kDecommissioned), result.user, has_left, entry));
  }
  if (user.kind == UserKind::kCurrent) {
    OPTIKS_TRY(check_devices(user, state, result));
    OPTIKS_TRY(check_keys(user, query, state, devices, result));
  }
  if (has_leaf_after(user, result.epoch)) {
    return Reason::kPartEpoch;
  }
  out = result;
  return Reason::kValid;
}

// Does step 3 of docs/spec/users.md section 5, except for the rule about leaving out the name.
Reason UserAnswerVerifier::check_kinds(const UserLookup& user) const {
  const bool is_none = user.kind == UserKind::kNone;
  const bool is_other_form = user.generations.has_value() != by_generations();
  const bool contradicts_name = user.name && user.name->present == is_none;
  const bool contradicts_left = !is_none && user.decommissioned.present != (user.kind == UserKind::kLeft);
  const bool contradicts_generations = user.generations && (user.generations->names.version == 0) != is_none;
  return is_other_form || contradicts_name || contradicts_left || contradicts_generations ? Reason::kUserKind
                                                                                          : Reason::kValid;
}

// Does step 4 of docs/spec/users.md section 5, and checks the rule of step 3 about leaving out the name.
Reason UserAnswerVerifier::check_name(const UserLookup& user, const UserQuery& query, const UserState& state,
                                      UserResult& out) const {
  const bool is_none = user.kind == UserKind::kNone;
  if (!user.name) {
    out.user = state.user;
    return is_none || state.user.empty() ? Reason::kUserNameMissing : Reason::kValid;
  }
  const StructureView names = view(user.name->record, kUsernames);
  if (is_none) {
    return state.user.empty() ? check_absent_entry(names, query.username, user.name->absent) : Reason::kUserChanged;
  }
  const Member& member = user.name->member;
  OPTIKS_TRY(check_present(names, query.username, member));
  if (member.value.empty() || member.value.size() > configuration_.max_key_len) {
    return Reason::kUserIdLength;
  }
  out.user = member.value;
  return state.user.empty() || std::ranges::equal(state.user, member.value) ? Reason::kValid : Reason::kUserChanged;
}

// Does section 3 of docs/spec/recycled-names.md, which replaces step 4 of docs/spec/users.md section 5.
Reason UserAnswerVerifier::check_generations(const Generations& shown, const UserQuery& query, const UserState& state,
                                             UserResult& out) const {
  const Versions& versions = shown.names;
  if (versions.version > kMaxGenerations) {
    return Reason::kVersionRange;
  }
  const auto count = static_cast<std::size_t>(versions.version);
  if (versions.members.size() != count) {
    return Reason::kLadderCount;
  }
  if (count < state.generation) {
    return Reason::kVersionRegressed;
  }
  const StructureView names = view(shown.record, kUsernames);
  std::array<VersionEntry, kMaxGenerations> room;
  const std::span<VersionEntry> entries = std::span(room).first(count);
  VersionsResult result;
  OPTIKS_TRY(verify_versions(names, query.username, Known(), versions, entries, result));
  for (std::size_t i = 0; i < count; ++i) {
    const ByteSpan user = entries[i].value;
    if (!entries[i].has_value) {
      return Reason::kMemberKind;
    }
    if (user.empty() || user.size() > configuration_.max_key_len) {
      return Reason::kUserIdLength;
    }
    const auto is_same = [&](const VersionEntry& earlier) { return std::ranges::equal(earlier.value, user); };
    if (std::ranges::any_of(entries.first(i), is_same)) {
      return Reason::kUserReturned;
    }
  }
  if (state.generation != 0 && !std::ranges::equal(entries[state.generation - 1].value, state.user)) {
    return Reason::kUserChanged;
  }
  out.generation = static_cast<std::uint32_t>(count);
  out.user = count == 0 ? ByteSpan() : entries.back().value;
  return check_left(shown, entries);
}

// Checks that the users of all generations but the last have left, each before the next generation began.
Reason UserAnswerVerifier::check_left(const Generations& shown, std::span<const VersionEntry> names) const {
  if (shown.left.size() != std::max<std::size_t>(names.size(), 1) - 1) {
    return Reason::kGenerationLeft;
  }
  std::size_t i = 0;
  for (const Entry& entry : shown.left) {
    if (!entry.present) {
      return Reason::kGenerationLeft;
    }
    OPTIKS_TRY(check_decommissioned(view(entry.record, kDecommissioned), names[i].value, false, entry));
    if (entry.member.epoch >= names[i + 1].leaf_epoch) {
      return Reason::kGenerationOrder;
    }
    ++i;
  }
  return Reason::kValid;
}

// Does step 6 of docs/spec/users.md section 5, without the rules for the contents of the list.
Reason UserAnswerVerifier::check_devices(const UserLookup& user, const UserState& state, UserResult& out) const {
  const StructureView lists = view(user.devices.record, kDevices);
  // In a log that reassigns usernames, the client's state of the devices is ignored, because it might belong to the
  // previous user of the name.
  const Known known = by_generations() ? Known() : state.devices;
  OPTIKS_TRY(verify_lookup(lists, out.user, known, user.devices.lookup, out.devices));
  if (out.devices.version == 0) {
    return Reason::kDevicesMissing;
  }
  if (is_lost(known, lists.period, out.devices)) {
    return Reason::kHandoverMissing;
  }
  out.devices_epoch = lists.epoch;
  out.list = out.devices.has_value ? out.devices.value : state.list;
  return Reason::kValid;
}

// Does step 7 of docs/spec/users.md section 5, and checks the rules of step 6 for the contents of the list.
Reason UserAnswerVerifier::check_keys(const UserLookup& user, const UserQuery& query, const UserState& state,
                                      std::span<DeviceResult> devices, UserResult& out) const {
  List<Device> list;
  OPTIKS_TRY(read_device_list(out.list, configuration_, list));
  const bool asks_all = query.device.empty();
  const std::size_t expected = asks_all ? list.size() : (has_device(list, query.device) ? 1 : 0);
  if (user.keys.size() != expected) {
    return Reason::kDeviceCount;
  }
  OPTIKS_CHECK(devices.size() >= expected);
  auto entry = user.keys.begin();
  auto known = state.keys.begin();
  for (const Device& device : list) {
    if (!asks_all && !std::ranges::equal(device.id, query.device)) {
      continue;
    }
    while (known != state.keys.end() && is_before(known->id, device.id)) {
      ++known;
    }
    const bool is_known = !by_generations() && known != state.keys.end() && std::ranges::equal(known->id, device.id);
    const StructureView keys = view(entry->record, kKeys);
    DeviceResult& result = devices[out.num_devices++];
    result.id = device.id;
    result.record_epoch = keys.epoch;
    OPTIKS_TRY(verify_lookup(keys, device.id, is_known ? known->known : Known(), entry->lookup, result.key));
    if (is_known && is_lost(known->known, keys.period, result.key) &&
        was_listed(state, known->known.period, device.id)) {
      return Reason::kHandoverMissing;
    }
    ++entry;
  }
  return Reason::kValid;
}

Reason UserAnswerVerifier::finish() const {
  OPTIKS_CHECK(left_ == 0);
  const auto referred = std::span(is_referred_to_).subspan(1, num_records_ - 1);
  const bool all_used = std::ranges::all_of(referred, [](bool is_used) { return is_used; });
  return all_used ? Reason::kValid : Reason::kPartUnused;
}

}  // namespace optiks::ozks::verify
