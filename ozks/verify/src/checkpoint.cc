#include "optiks/ozks/verify/checkpoint.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "optiks/base/sha256.h"
#include "optiks/ozks/verify/text.h"

namespace optiks::ozks::verify {
namespace {

constexpr std::size_t kMaxNoteLen = 65536;
constexpr std::size_t kMaxSignatures = 64;
constexpr std::size_t kKeyIdLen = 4;
constexpr std::uint8_t kKeyType = 0x01;

struct Note {
  ByteSpan text;        // the signed text
  ByteSpan signatures;  // whole lines
};

struct SignatureLine {
  ByteSpan name;
  ByteSpan base64;
  std::size_t decoded_len;
};

// Removes the first line from a text, and returns it without its newline. The last line of the text must end with a
// newline.
ByteSpan take_line(ByteSpan& text) {
  const auto newline = std::ranges::find(text, '\n');
  const auto length = static_cast<std::size_t>(newline - text.begin());
  const ByteSpan line = text.first(length);
  text = text.subspan(length + 1);
  return line;
}

bool holds(ByteSpan text, std::uint8_t c) { return std::ranges::find(text, c) != text.end(); }

std::optional<Note> split_note(ByteSpan note) {
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
      const Note split{note.first(i), note.subspan(i + 1)};
      return split.signatures.empty() ? std::nullopt : std::optional(split);
    }
  }
  return std::nullopt;
}

std::optional<SignatureLine> parse_signature_line(ByteSpan line) {
  constexpr std::string_view kDash = "\xE2\x80\x94 ";
  if (line.size() < kDash.size() || !std::equal(kDash.begin(), kDash.end(), line.begin(), [](char a, std::uint8_t b) {
        return static_cast<std::uint8_t>(a) == b;
      })) {
    return std::nullopt;
  }
  line = line.subspan(kDash.size());
  const auto space = std::ranges::find(line, ' ');
  if (space == line.end()) {
    return std::nullopt;
  }
  const auto name_len = static_cast<std::size_t>(space - line.begin());
  const ByteSpan name = line.first(name_len);
  const ByteSpan base64 = line.subspan(name_len + 1);
  const auto decoded_len = base64_decoded_length(base64);
  if (name.empty() || holds(name, '+') || has_white_space(name) || !decoded_len || *decoded_len <= kKeyIdLen) {
    return std::nullopt;
  }
  return SignatureLine{name, base64, *decoded_len};
}

std::array<std::uint8_t, kKeyIdLen> key_id(ByteSpan name, ByteSpan public_key) {
  constexpr std::array<std::uint8_t, 2> kSeparator = {'\n', kKeyType};
  Hash digest;
  base::Sha256 hash;
  hash.update(name).update(kSeparator).update(public_key).finish(digest);
  std::array<std::uint8_t, kKeyIdLen> id;
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

// Parses the three lines of a checkpoint's text. The caller must compare the origin.
std::optional<Checkpoint> parse_body(ByteSpan text, ByteSpan& origin) {
  if (std::ranges::count(text, '\n') != 3) {
    return std::nullopt;
  }
  origin = take_line(text);
  const auto size = parse_decimal(take_line(text));
  const ByteSpan root = take_line(text);
  // The size is never 0, because entry 0 is the genesis record and no log publishes an empty tree.
  if (!size || *size == 0 || base64_decoded_length(root) != kHashLen) {
    return std::nullopt;
  }
  Checkpoint checkpoint{*size, {}};
  base64_decode(root, checkpoint.root);
  return checkpoint;
}

// The signature lines of the log's key in a note: their number, and the last of them.
struct LogLines {
  std::size_t count = 0;
  SignatureLine last{};
};

// Reads all signature lines, also those of other keys. So whether a note is well-formed does not depend on the log's
// key. Returns false if a line is malformed or there are too many lines.
bool read_signatures(ByteSpan lines, ByteSpan log_name, ByteSpan log_public_key, LogLines& out) {
  const auto log_key_id = key_id(log_name, log_public_key);
  std::size_t count = 0;
  while (!lines.empty()) {
    const auto line = parse_signature_line(take_line(lines));
    if (!line || ++count > kMaxSignatures) {
      return false;
    }
    std::array<std::uint8_t, kKeyIdLen> id;
    base64_decode(line->base64, id);
    if (id == log_key_id && equal(line->name, log_name)) {
      out.last = *line;
      ++out.count;
    }
  }
  return true;
}

}  // namespace

Reason verify_checkpoint(ByteSpan note, ByteSpan origin, ByteSpan log_public_key, Ed25519Verify ed25519,
                         Checkpoint& out) {
  const std::optional<Note> split = split_note(note);
  LogLines log_lines;
  if (!split || !read_signatures(split->signatures, origin, log_public_key, log_lines)) {
    return Reason::kCheckpointMalformed;
  }
  ByteSpan found_origin;
  const std::optional<Checkpoint> checkpoint = parse_body(split->text, found_origin);
  if (!checkpoint) {
    return Reason::kCheckpointMalformed;
  }
  if (!equal(found_origin, origin)) {
    return Reason::kCheckpointOrigin;
  }
  if (log_lines.count != 1 || log_lines.last.decoded_len != kKeyIdLen + kSignatureLen) {
    return Reason::kCheckpointSignature;
  }
  std::array<std::uint8_t, kKeyIdLen + kSignatureLen> signature;
  base64_decode(log_lines.last.base64, signature);
  if (!ed25519(log_public_key, split->text, std::span(signature).subspan(kKeyIdLen))) {
    return Reason::kCheckpointSignature;
  }
  out = *checkpoint;
  return Reason::kValid;
}

}  // namespace optiks::ozks::verify
