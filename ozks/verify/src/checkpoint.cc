#include "optiks/ozks/verify/checkpoint.h"

#include <algorithm>
#include <optional>

#include "optiks/ozks/verify/note.h"
#include "optiks/ozks/verify/text.h"

namespace optiks::ozks::verify {
namespace {

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
  const KeyId log_key_id = key_id(log_name, kKeyTypeLog, log_public_key);
  std::size_t count = 0;
  while (!lines.empty()) {
    const auto line = parse_signature_line(take_line(lines));
    if (!line || ++count > kMaxNoteSignatures) {
      return false;
    }
    if (line->key_id == log_key_id && equal(line->name, log_name)) {
      out.last = *line;
      ++out.count;
    }
  }
  return true;
}

}  // namespace

Reason verify_checkpoint(ByteSpan note, ByteSpan origin, ByteSpan log_public_key, Ed25519Verify ed25519,
                         Checkpoint& out) {
  const std::optional<NoteParts> split = split_note(note);
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
