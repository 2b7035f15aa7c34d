// Parses signed notes (docs/spec/board.md section 2), without verifying their signatures.
//
// Lifetime: the structures are views into the note.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "optiks/base/bytes.h"

namespace optiks::ozks::verify {

using base::ByteSpan;

inline constexpr std::size_t kMaxNoteLen = 65536;
inline constexpr std::size_t kMaxNoteSignatures = 64;
inline constexpr std::size_t kKeyIdLen = 4;
inline constexpr std::uint8_t kKeyTypeLog = 0x01;       // signatures of a note's text
inline constexpr std::uint8_t kKeyTypeCosigner = 0x04;  // cosignatures of checkpoints, with a time

using KeyId = std::array<std::uint8_t, kKeyIdLen>;

struct NoteParts {
  ByteSpan text;        // the signed text, which ends with a newline
  ByteSpan signatures;  // whole lines, at least one
};

// Splits a note at its last empty line. Returns nullopt if the octets are not a valid note, whatever its signature
// lines are.
[[nodiscard]] std::optional<NoteParts> split_note(ByteSpan note);

struct SignatureLine {
  ByteSpan line;  // without its newline
  ByteSpan name;
  ByteSpan base64;
  std::size_t decoded_len = 0;
  KeyId key_id{};
};

// Parses a signature line without its newline.
[[nodiscard]] std::optional<SignatureLine> parse_signature_line(ByteSpan line);

// Returns true for a name that is not empty, is UTF-8 and contains no '+', Unicode white space or octet below 0x20.
[[nodiscard]] bool is_key_name(ByteSpan name);

// Returns the key id of a key: the first octets of SHA-256(name || 0x0A || type || public key).
[[nodiscard]] KeyId key_id(ByteSpan name, std::uint8_t type, ByteSpan public_key);

// Removes the first line from a text, and returns it without its newline. The last line of the text must end with a
// newline.
ByteSpan take_line(ByteSpan& text);

}  // namespace optiks::ozks::verify
