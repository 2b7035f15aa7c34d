#include "optiks/ozks/verify/note.h"

#include <algorithm>
#include <string_view>

#include "optiks/base/sha256.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/text.h"

namespace optiks::ozks::verify {

ByteSpan take_line(ByteSpan& text) {
  const auto newline = std::ranges::find(text, '\n');
  const auto length = static_cast<std::size_t>(newline - text.begin());
  const ByteSpan line = text.first(length);
  text = text.subspan(length + 1);
  return line;
}

std::optional<NoteParts> split_note(ByteSpan note) {
  const auto is_control = [](std::uint8_t c) { return c < 0x20 && c != '\n'; };
  if (note.size() > kMaxNoteLen || std::ranges::any_of(note, is_control) || !is_utf8(note)) {
    return std::nullopt;
  }
  if (note.empty() || note.back() != '\n') {
    return std::nullopt;
  }
  // The last empty line separates text and signatures, because the text itself may contain empty lines.
  for (std::size_t i = note.size() - 1; i > 0; --i) {
    if (note[i] == '\n' && note[i - 1] == '\n') {
      const NoteParts split{note.first(i), note.subspan(i + 1)};
      return split.signatures.empty() ? std::nullopt : std::optional(split);
    }
  }
  return std::nullopt;
}

bool is_key_name(ByteSpan name) {
  const auto is_refused = [](std::uint8_t c) { return c < 0x20 || c == '+'; };
  return !name.empty() && std::ranges::none_of(name, is_refused) && !has_white_space(name);
}

std::optional<SignatureLine> parse_signature_line(ByteSpan line) {
  constexpr std::string_view kDash = "\xE2\x80\x94 ";
  if (line.size() < kDash.size() || !std::equal(kDash.begin(), kDash.end(), line.begin(), [](char a, std::uint8_t b) {
        return static_cast<std::uint8_t>(a) == b;
      })) {
    return std::nullopt;
  }
  const ByteSpan rest = line.subspan(kDash.size());
  const auto space = std::ranges::find(rest, ' ');
  if (space == rest.end()) {
    return std::nullopt;
  }
  const auto name_len = static_cast<std::size_t>(space - rest.begin());
  SignatureLine parsed{.line = line, .name = rest.first(name_len), .base64 = rest.subspan(name_len + 1)};
  const auto decoded_len = base64_decoded_length(parsed.base64);
  if (!is_key_name(parsed.name) || !decoded_len || *decoded_len <= kKeyIdLen) {
    return std::nullopt;
  }
  parsed.decoded_len = *decoded_len;
  base64_decode(parsed.base64, parsed.key_id);
  return parsed;
}

KeyId key_id(ByteSpan name, std::uint8_t type, ByteSpan public_key) {
  const std::array<std::uint8_t, 2> separator = {'\n', type};
  Hash digest;
  base::Sha256 hash;
  hash.update(name).update(separator).update(public_key).finish(digest);
  KeyId id;
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

}  // namespace optiks::ozks::verify
