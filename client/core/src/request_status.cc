#include "optiks/client/request_status.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "optiks/client/answer_json.h"
#include "optiks/client/base64.h"

namespace optiks::client {
namespace {

using ozks::verify::kDevices;
using ozks::verify::kKeys;
using ozks::verify::kMaxKeyLen;

// In the order of the structures' ids, which begin with 1.
constexpr std::array<std::string_view, ozks::verify::kNumStructures> kStructureNames = {"usernames", "devices", "keys",
                                                                                        "decommissioned"};

std::optional<VersionNumber> read_version(JsonValue value) {
  const std::optional<std::uint64_t> period = value.member("period").integer();
  const std::optional<std::uint64_t> version = value.member("version").integer();
  return period && version ? std::optional(VersionNumber{.period = *period, .version = *version}) : std::nullopt;
}

// A server that knows only keys does not name the structure.
std::optional<std::uint8_t> read_structure(JsonValue value) {
  if (value.is_absent()) {
    return kKeys;
  }
  const auto name = std::ranges::find(kStructureNames, value.text().value_or(""));
  return name != kStructureNames.end() ? std::optional(static_cast<std::uint8_t>(name - kStructureNames.begin() + 1))
                                       : std::nullopt;
}

std::optional<std::uint32_t> read_item_number(JsonValue value) {
  const std::optional<std::uint64_t> number = value.integer();
  return number && *number <= std::numeric_limits<std::int32_t>::max()
             ? std::optional(static_cast<std::uint32_t>(*number))
             : std::nullopt;
}

// Reads the members that the refusals of all requests have. Programs may show the reason on a terminal, where other
// text could do harm.
std::optional<RefusedRequest> read_refusal(JsonValue root) {
  constexpr std::size_t kMaxReasonLen = 64;
  const std::string_view reason = root.member("reason").text().value_or("");
  if (reason.empty() || reason.size() > kMaxReasonLen ||
      !std::ranges::all_of(reason, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; })) {
    return std::nullopt;
  }
  RefusedRequest refused{.reason = std::string(reason)};
  if (const JsonValue current = root.member("current"); !current.is_absent()) {
    refused.current = read_version(current);
    if (!refused.current) {
      return std::nullopt;
    }
  }
  return refused;
}

std::optional<RefusedRequest> read_refused_update(JsonValue root) {
  std::optional<RefusedRequest> refused = read_refusal(root);
  if (const JsonValue item = root.member("item"); refused && !item.is_absent()) {
    refused->item = read_item_number(item);
    if (!refused->item) {
      return std::nullopt;
    }
  }
  return refused;
}

std::optional<PublishedItem> read_item(JsonValue value) {
  const std::optional<VersionNumber> version = read_version(value);
  const std::optional<std::uint8_t> structure = read_structure(value.member("structure"));
  if (!version || !structure) {
    return std::nullopt;
  }
  PublishedItem item{.version = *version, .structure = *structure};
  if (const JsonValue number = value.member("item"); !number.is_absent()) {
    const std::optional<std::uint32_t> read = read_item_number(number);
    if (!read) {
      return std::nullopt;
    }
    item.item = *read;
  }
  if (const JsonValue text = value.member("key_b64"); !text.is_absent()) {
    std::optional<Bytes> key = base64url_decode(octets_of(text.text().value_or("")));
    if (!key || key->empty() || key->size() > kMaxKeyLen) {
      return std::nullopt;
    }
    item.key = std::move(*key);
  }
  return item;
}

std::optional<PublishedRequest> read_published(JsonValue root) {
  PublishedRequest published;
  if (const JsonValue proof = root.member("proof"); !proof.is_absent()) {
    const std::optional<std::string_view> href = proof.member("href").text();
    if (!href) {
      return std::nullopt;
    }
    const std::string_view path = href->substr(0, href->find('?'));
    if (path == "/v1/lookup") {
      published.kind = RequestKind::kKeys;
    } else if (path == "/v1/users/lookup") {
      published.kind = RequestKind::kUser;
    }
  }
  const std::optional<std::uint64_t> epoch = root.member("epoch").integer();
  const JsonValue items = root.member("items");
  if (!epoch) {
    return std::nullopt;
  }
  published.epoch = *epoch;
  for (JsonValue element = items.first_element(); !element.is_absent(); element = element.next_element()) {
    std::optional<PublishedItem> item = read_item(element);
    if (!item) {
      return std::nullopt;
    }
    published.items.push_back(std::move(*item));
  }
  return published.items.empty() ? std::nullopt : std::optional(std::move(published));
}

// Returns whether the request was to erase the version. A request for versions from 1 on also erases the versions of
// earlier periods that version 1 was copied from. A request for everything of a user erases lists, and keys of devices.
bool is_asked(const Erasure& erasure, const ErasedVersion& erased, std::uint64_t period) {
  std::uint8_t structure = kDevices;
  std::optional<VersionRange> versions;
  if (const auto* key = std::get_if<KeyErasure>(&erasure)) {
    structure = kKeys;
    versions = key->versions;
  } else if (const auto* user = std::get_if<UserErasure>(&erasure)) {
    versions = user->versions;
  }
  if (!versions) {
    return erased.structure == kDevices || erased.structure == kKeys;
  }
  const bool is_named = erased.version.version >= versions->from && erased.version.version <= versions->to;
  return erased.structure == structure && (is_named || (versions->from == 1 && erased.version.period < period));
}

std::optional<ErasedRequest> read_erased(JsonValue root, const Erasure& erasure, std::uint64_t period) {
  const std::optional<std::uint64_t> epoch = root.member("epoch").integer();
  const JsonValue list = root.member("erased");
  if (!epoch || !list.is_array()) {
    return std::nullopt;
  }
  ErasedRequest done{.epoch = *epoch};
  for (JsonValue element = list.first_element(); !element.is_absent(); element = element.next_element()) {
    const std::optional<std::uint8_t> structure = read_structure(element.member("structure"));
    const std::optional<VersionNumber> version = read_version(element);
    const std::optional<std::uint64_t> published = element.member("epoch").integer();
    if (!structure || !version || !published) {
      return std::nullopt;
    }
    const ErasedVersion erased{.structure = *structure, .version = *version, .epoch = *published};
    if (!is_asked(erasure, erased, period)) {
      return std::nullopt;
    }
    done.erased.push_back(erased);
  }
  return done;
}

// Returns a status of the wider type, or nullopt.
template <typename Status, typename T>
std::optional<Status> widen(std::optional<T>&& status) {
  return status ? std::optional<Status>(std::move(*status)) : std::nullopt;
}

void add_keys(const CreateUser& change, std::vector<ByteSpan>& usernames, std::vector<ByteSpan>& devices) {
  usernames.insert(usernames.end(), change.usernames.begin(), change.usernames.end());
  for (const DeviceValue& device : change.devices) {
    devices.emplace_back(device.device);
  }
}

void add_keys(const AddUsername& change, std::vector<ByteSpan>& usernames, std::vector<ByteSpan>&) {
  usernames.emplace_back(change.username);
}

void add_keys(const AddDevice& change, std::vector<ByteSpan>&, std::vector<ByteSpan>& devices) {
  devices.emplace_back(change.device.device);
}

void add_keys(const SetDevice& change, std::vector<ByteSpan>&, std::vector<ByteSpan>& devices) {
  devices.emplace_back(change.device.device);
}

void add_keys(const RemoveDevice&, std::vector<ByteSpan>&, std::vector<ByteSpan>&) {}

void add_keys(const Decommission&, std::vector<ByteSpan>&, std::vector<ByteSpan>&) {}

}  // namespace

std::optional<UpdateStatus> read_update_status(ByteSpan answer) {
  const std::optional<JsonDocument> document = parse_answer(answer, kMaxStatusLen);
  if (!document) {
    return std::nullopt;
  }
  const JsonValue root = document->root();
  const std::string_view status = root.member("status").text().value_or("");
  if (status == "pending") {
    return PendingRequest{};
  }
  if (status == "published") {
    return widen<UpdateStatus>(read_published(root));
  }
  return status == "refused" ? widen<UpdateStatus>(read_refused_update(root)) : std::nullopt;
}

void name_items(std::vector<PublishedItem>& items, ByteSpan user, const std::vector<UserChange>& changes) {
  // The order of items: the list, the usernames, the keys of devices, the decommission.
  std::vector<ByteSpan> keys{user};
  std::vector<ByteSpan> devices;
  for (const UserChange& change : changes) {
    std::visit([&](const auto& kind) { add_keys(kind, keys, devices); }, change);
  }
  keys.insert(keys.end(), devices.begin(), devices.end());
  keys.push_back(user);
  for (PublishedItem& item : items) {
    if (item.key.empty() && item.item < keys.size()) {
      item.key.assign(keys[item.item].begin(), keys[item.item].end());
    }
  }
}

std::optional<ErasureStatus> read_erasure_status(ByteSpan answer, const Erasure& erasure, std::uint64_t period) {
  const std::optional<JsonDocument> document = parse_answer(answer, kMaxStatusLen);
  if (!document) {
    return std::nullopt;
  }
  const JsonValue root = document->root();
  const std::string_view status = root.member("status").text().value_or("");
  if (status == "pending") {
    return PendingRequest{};
  }
  if (status == "erased") {
    return widen<ErasureStatus>(read_erased(root, erasure, period));
  }
  return status == "refused" ? widen<ErasureStatus>(read_refusal(root)) : std::nullopt;
}

}  // namespace optiks::client
