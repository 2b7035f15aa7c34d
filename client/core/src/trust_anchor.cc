#include "optiks/client/trust_anchor.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "optiks/client/base64.h"
#include "optiks/client/json.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/note.h"

namespace optiks::client {
namespace {

using ozks::verify::Reason;

// The anchor, its member `auditors`, the list in it, and one auditor.
constexpr std::size_t kAnchorDepth = 4;
constexpr std::uint64_t kMaxLagMs = std::uint64_t{1} << 43;
// The greatest integer that no JSON reader rounds.
constexpr std::uint64_t kMaxInteger = (std::uint64_t{1} << 53) - 1;

std::optional<std::uint64_t> integer_between(JsonValue value, std::uint64_t least, std::uint64_t most) {
  const std::optional<std::uint64_t> number = value.integer();
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

std::optional<VerifierKey> read_key(JsonValue value) {
  const auto text = value.text();
  return text ? VerifierKey::parse(octets_of(*text)) : std::nullopt;
}

std::optional<AuditorPolicy> read_auditors(JsonValue json) {
  const JsonValue keys = json.member("keys");
  const auto required = integer_between(json.member("required"), 1, TrustAnchor::kMaxCosigners);
  const auto max_lag_ms = integer_between(json.member("max_lag_ms"), 1, kMaxLagMs);
  if (!json.has_only({"required", "max_lag_ms", "keys"}) || !required || !max_lag_ms || !keys.is_array()) {
    return std::nullopt;
  }
  AuditorPolicy policy{.required = static_cast<std::size_t>(*required), .max_lag_ms = *max_lag_ms, .auditors = {}};
  for (JsonValue one = keys.first_element(); !one.is_absent(); one = one.next_element()) {
    std::optional<VerifierKey> key = read_key(one.member("key"));
    const auto first_epoch = integer_between(one.member("first_epoch"), 0, kMaxInteger);
    if (!one.has_only({"key", "first_epoch"}) || !key || key->type != ozks::verify::kKeyTypeCosigner || !first_epoch ||
        policy.auditors.size() == TrustAnchor::kMaxCosigners) {
      return std::nullopt;
    }
    policy.auditors.push_back({*std::move(key), *first_epoch});
  }
  return policy.required <= policy.auditors.size() ? std::optional(std::move(policy)) : std::nullopt;
}

std::optional<Policy> read_witnesses(JsonValue json, const VerifierKey& log_key) {
  if (!json.is_array()) {
    return std::nullopt;
  }
  std::string text;
  for (JsonValue line = json.first_element(); !line.is_absent(); line = line.next_element()) {
    if (!line.text() || line.text()->find('\n') != std::string_view::npos) {
      return std::nullopt;
    }
    text.append(*line.text()).append("\n");
  }
  std::optional<Policy> policy = Policy::parse(octets_of(text));
  const auto is_other = [&](const VerifierKey& log) { return log != log_key; };
  return policy && policy->witnesses().size() <= TrustAnchor::kMaxCosigners &&
                 std::ranges::none_of(policy->logs(), is_other)
             ? std::move(policy)
             : std::nullopt;
}

// All signatures of one key must have one meaning.
bool have_distinct_keys(const VerifierKey& log_key, const std::vector<VerifierKey>& cosigners) {
  for (std::size_t i = 0; i < cosigners.size(); ++i) {
    const auto clashes = [&](const VerifierKey& other) {
      return other.public_key == cosigners[i].public_key ||
             (other.key_id == cosigners[i].key_id && other.name == cosigners[i].name);
    };
    if (clashes(log_key) ||
        std::any_of(cosigners.begin(), cosigners.begin() + static_cast<std::ptrdiff_t>(i), clashes)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Reason TrustAnchor::read(ByteSpan file, std::optional<TrustAnchor>& out, const char*& why) {
  const auto refuse = [&](const char* text, Reason reason = Reason::kConfiguration) {
    out.reset();
    why = text;
    return reason;
  };
  const auto document = file.size() <= kMaxFileLen ? JsonDocument::parse(file, kAnchorDepth) : std::nullopt;
  if (!document || !document->root().has_only({"configuration", "log_key", "auditors", "witnesses"})) {
    return refuse(
        "A trust anchor must be a JSON object with the members configuration and log_key, and optionally auditors and "
        "witnesses.");
  }
  const JsonValue root = document->root();
  TrustAnchor anchor;
  if (const JsonValue auditors = root.member("auditors"); !auditors.is_absent()) {
    anchor.auditors_ = read_auditors(auditors);
    if (!anchor.auditors_) {
      return refuse("The trust anchor's auditors are not a policy of 1 to 32 auditors.");
    }
  }
  const auto configuration = root.member("configuration").text();
  std::optional<Bytes> octets = configuration ? base64url_decode(octets_of(*configuration)) : std::nullopt;
  if (!octets) {
    return refuse("The trust anchor's configuration is not base64url without padding.");
  }
  std::optional<VerifierKey> log_key = read_key(root.member("log_key"));
  if (!log_key) {
    return refuse("The trust anchor's log_key is not a vkey.");
  }
  anchor.log_key_ = *std::move(log_key);
  const std::size_t length = octets->size();
  anchor.octets_ = *std::move(octets);
  anchor.octets_.insert(anchor.octets_.end(), anchor.log_key_.public_key.begin(), anchor.log_key_.public_key.end());
  const ByteSpan all = anchor.octets_;
  const Reason reason = ozks::verify::make_anchor(all.first(length), all.subspan(length), anchor.log_);
  if (reason != Reason::kValid) {
    return refuse("The trust anchor's configuration is not valid.", reason);
  }
  if (anchor.log_key_.type != ozks::verify::kKeyTypeLog ||
      text_of(anchor.log_.configuration.origin) != anchor.log_key_.name) {
    return refuse("The trust anchor's log_key must be a vkey of type 1 whose name is the configuration's origin.");
  }
  if (const JsonValue witnesses = root.member("witnesses"); !witnesses.is_absent()) {
    anchor.witnesses_ = read_witnesses(witnesses, anchor.log_key_);
    if (!anchor.witnesses_) {
      return refuse("The trust anchor's witnesses are not the lines of a policy for this log.");
    }
  }
  if (!have_distinct_keys(anchor.log_key_, anchor.cosigners())) {
    return refuse("The trust anchor's auditors, witnesses and log use one key twice.");
  }
  out = std::move(anchor);
  why = "";
  return Reason::kValid;
}

std::vector<VerifierKey> TrustAnchor::cosigners() const {
  std::vector<VerifierKey> keys;
  if (auditors_) {
    for (const TrustedAuditor& auditor : auditors_->auditors) {
      keys.push_back(auditor.key);
    }
  }
  if (witnesses_) {
    keys.insert(keys.end(), witnesses_->witnesses().begin(), witnesses_->witnesses().end());
  }
  return keys;
}

}  // namespace optiks::client
