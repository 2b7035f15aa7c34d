#include "optiks/client/verifier_key.h"

#include <algorithm>

#include "optiks/client/base64.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::client {
namespace {

using ozks::verify::kKeyIdLen;
using ozks::verify::kKeyTypeCosigner;
using ozks::verify::kKeyTypeLog;

// Key ids have lower-case digits only, so that each key has one text.
std::optional<ozks::verify::KeyId> parse_key_id(std::string_view hex) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (hex.size() != 2 * kKeyIdLen) {
    return std::nullopt;
  }
  ozks::verify::KeyId id{};
  for (std::size_t i = 0; i < hex.size(); ++i) {
    const std::size_t digit = kDigits.find(hex[i]);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    id[i / 2] = static_cast<std::uint8_t>(id[i / 2] << 4 | digit);
  }
  return id;
}

}  // namespace

std::optional<VerifierKey> VerifierKey::parse(ByteSpan vkey) {
  // The base64 may contain '+', so only the first two separate the parts.
  const std::string_view text = text_of(vkey);
  const std::size_t first = text.find('+');
  const std::size_t second = first == std::string_view::npos ? first : text.find('+', first + 1);
  if (second == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view name = text.substr(0, first);
  const auto id = parse_key_id(text.substr(first + 1, second - first - 1));
  const auto typed = base64_decode(octets_of(text.substr(second + 1)));
  if (!ozks::verify::is_key_name(octets_of(name)) || !id || !typed || typed->size() != 1 + kPublicKeyLen) {
    return std::nullopt;
  }
  VerifierKey key{.name = std::string(name), .type = typed->front(), .key_id = *id};
  std::copy_n(typed->begin() + 1, kPublicKeyLen, key.public_key.begin());
  const bool known = key.type == kKeyTypeLog || key.type == kKeyTypeCosigner;
  return known && ozks::verify::key_id(octets_of(name), key.type, key.public_key) == *id ? std::optional(std::move(key))
                                                                                         : std::nullopt;
}

std::string VerifierKey::vkey() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = name + "+";
  for (const std::uint8_t octet : key_id) {
    text.append({kDigits[octet >> 4], kDigits[octet & 15]});
  }
  Bytes typed{type};
  typed.insert(typed.end(), public_key.begin(), public_key.end());
  return text + "+" + base64_encode(typed);
}

bool VerifierKey::is_named_by(const ozks::verify::SignatureLine& line) const {
  return line.key_id == key_id && text_of(line.name) == name;
}

}  // namespace optiks::client
