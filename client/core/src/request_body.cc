#include "optiks/client/request_body.h"

#include <string_view>

#include "optiks/client/base64.h"
#include "optiks/client/json.h"

namespace optiks::client {
namespace {

void write_octets(JsonWriter& out, std::string_view name, ByteSpan octets) {
  out.name(name).string(base64url_encode(octets));
}

void write_id(JsonWriter& out, const RequestId& id) { out.name("request_id").string(request_id_text(id)); }

void write_expected(JsonWriter& out, const std::optional<VersionNumber>& expected) {
  if (expected) {
    out.name("expected").begin_object();
    out.name("period").integer(expected->period);
    out.name("version").integer(expected->version);
    out.end_object();
  }
}

void write_device(JsonWriter& out, const DeviceValue& device) {
  write_octets(out, "device_b64", device.device);
  write_octets(out, "value_b64", device.value);
}

void write(JsonWriter& out, const CreateUser& change) {
  out.name("op").string("create");
  out.name("usernames_b64").begin_array();
  for (const Bytes& username : change.usernames) {
    out.string(base64url_encode(username));
  }
  out.end_array();
  // The services refuse an empty list.
  if (change.devices.empty()) {
    return;
  }
  out.name("devices").begin_array();
  for (const DeviceValue& device : change.devices) {
    out.begin_object();
    write_device(out, device);
    out.end_object();
  }
  out.end_array();
}

void write(JsonWriter& out, const AddUsername& change) {
  out.name("op").string("add-username");
  write_octets(out, "username_b64", change.username);
}

void write(JsonWriter& out, const AddDevice& change) {
  out.name("op").string("add-device");
  write_device(out, change.device);
}

void write(JsonWriter& out, const SetDevice& change) {
  out.name("op").string("set-device");
  write_device(out, change.device);
  write_expected(out, change.expected);
}

void write(JsonWriter& out, const RemoveDevice& change) {
  out.name("op").string("remove-device");
  write_octets(out, "device_b64", change.device);
}

void write(JsonWriter& out, const Decommission&) { out.name("op").string("decommission"); }

void write_versions(JsonWriter& out, const VersionRange& versions) {
  out.name("period").integer(versions.period);
  out.name("from").integer(versions.from);
  out.name("to").integer(versions.to);
}

void write(JsonWriter& out, const KeyErasure& erasure) {
  write_octets(out, "key_b64", erasure.key);
  write_versions(out, erasure.versions);
}

void write(JsonWriter& out, const UserErasure& erasure) {
  write_octets(out, "user_b64", erasure.user);
  if (erasure.versions) {
    write_versions(out, *erasure.versions);
  }
}

}  // namespace

std::string request_id_text(const RequestId& id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text.push_back('-');
    }
    text.push_back(kDigits[id[i] >> 4]);
    text.push_back(kDigits[id[i] & 15]);
  }
  return text;
}

std::string update_body(const RequestId& id, ByteSpan key, ByteSpan value, const std::optional<VersionNumber>& expected,
                        bool wants_receipt) {
  JsonWriter out;
  out.begin_object();
  write_id(out, id);
  write_octets(out, "key_b64", key);
  write_octets(out, "value_b64", value);
  write_expected(out, expected);
  if (wants_receipt) {
    out.name("receipt").boolean(true);
  }
  out.end_object();
  return out.text();
}

std::string user_body(const RequestId& id, ByteSpan user, const std::vector<UserChange>& changes) {
  JsonWriter out;
  out.begin_object();
  write_id(out, id);
  write_octets(out, "user_b64", user);
  out.name("changes").begin_array();
  for (const UserChange& change : changes) {
    out.begin_object();
    std::visit([&](const auto& kind) { write(out, kind); }, change);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.text();
}

std::string erasure_body(const RequestId& id, const Erasure& erasure) {
  JsonWriter out;
  out.begin_object();
  write_id(out, id);
  std::visit([&](const auto& kind) { write(out, kind); }, erasure);
  out.end_object();
  return out.text();
}

}  // namespace optiks::client
