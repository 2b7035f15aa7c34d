// The public keys with which notes are verified, and their text form, the vkey (docs/spec/records.md section 1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "optiks/client/octets.h"
#include "optiks/ozks/verify/note.h"

namespace optiks::client {

inline constexpr std::size_t kPublicKeyLen = 32;  // Ed25519

struct VerifierKey {
  std::string name;
  std::uint8_t type = 0;  // kKeyTypeLog or kKeyTypeCosigner
  std::array<std::uint8_t, kPublicKeyLen> public_key{};
  ozks::verify::KeyId key_id{};

  // Parses `<name>+<key id>+<key>`. Returns nullopt for every other text, for a key id that does not belong to name and
  // key, and for keys of other types.
  static std::optional<VerifierKey> parse(ByteSpan vkey);

  // Returns the text that parse() accepts.
  [[nodiscard]] std::string vkey() const;

  // Returns true if a signature line has the name and the key id of this key.
  [[nodiscard]] bool is_named_by(const ozks::verify::SignatureLine& line) const;

  bool operator==(const VerifierKey&) const = default;
};

}  // namespace optiks::client
