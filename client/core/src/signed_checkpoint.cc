#include "optiks/client/signed_checkpoint.h"

#include <algorithm>
#include <array>

#include "optiks/ozks/verify/note.h"
#include "optiks/ozks/verify/text.h"

namespace optiks::client {
namespace {

using ozks::verify::Reason;
using ozks::verify::SignatureLine;

constexpr std::size_t kTimestampLen = 8;
constexpr std::size_t kBlobLen = ozks::verify::kKeyIdLen + kTimestampLen + ozks::verify::kSignatureLen;

// Returns the time of a cosignature by `key`, or nullopt if the cosignature is not valid.
std::optional<std::uint64_t> verify_cosignature(const SignatureLine& line, ByteSpan text, const VerifierKey& key,
                                                ozks::verify::Ed25519Verify ed25519) {
  std::array<std::uint8_t, kBlobLen> blob;
  if (line.decoded_len != blob.size()) {
    return std::nullopt;
  }
  ozks::verify::base64_decode(line.base64, blob);
  const std::uint64_t time = base::load_be64(blob.data() + ozks::verify::kKeyIdLen);
  if (time >> 63 != 0) {
    return std::nullopt;
  }
  std::string message = "cosignature/v1\ntime " + std::to_string(time) + "\n";
  message.append(text_of(text));
  const ByteSpan signature = ByteSpan(blob).subspan(ozks::verify::kKeyIdLen + kTimestampLen);
  return ed25519(key.public_key, octets_of(message), signature) ? std::optional(time) : std::nullopt;
}

// Adds a cosignature, or replaces an earlier one of the same cosigner.
void add(std::vector<VerifiedCosignature>& all, VerifiedCosignature one) {
  const auto same = std::ranges::find(all, one.cosigner, &VerifiedCosignature::cosigner);
  if (same == all.end()) {
    all.push_back(std::move(one));
  } else if (same->timestamp < one.timestamp) {
    *same = std::move(one);
  }
}

}  // namespace

Reason SignedCheckpoint::open(ByteSpan note, const VerifierKey& log_key, std::span<const VerifierKey> cosigners,
                              ozks::verify::Ed25519Verify ed25519, SignedCheckpoint& out) {
  SignedCheckpoint opened;
  const Reason reason =
      ozks::verify::verify_checkpoint(note, octets_of(log_key.name), log_key.public_key, ed25519, opened.checkpoint);
  const auto parts = ozks::verify::split_note(note);
  if (reason != Reason::kValid || !parts) {
    return reason;
  }
  opened.text = text_of(parts->text);
  for (ByteSpan lines = parts->signatures; !lines.empty();) {
    const auto line = ozks::verify::parse_signature_line(ozks::verify::take_line(lines));
    if (!line) {
      return Reason::kCheckpointMalformed;
    }
    if (log_key.is_named_by(*line)) {
      opened.log_line = text_of(line->line);
      continue;
    }
    const auto key = std::ranges::find_if(cosigners, [&](const VerifierKey& one) { return one.is_named_by(*line); });
    if (key == cosigners.end()) {
      continue;
    }
    const auto time = verify_cosignature(*line, parts->text, *key, ed25519);
    if (!time) {
      return Reason::kCheckpointSignature;
    }
    add(opened.cosignatures, {.cosigner = static_cast<std::size_t>(key - cosigners.begin()),
                              .timestamp = *time,
                              .line = std::string(text_of(line->line))});
  }
  out = std::move(opened);
  return Reason::kValid;
}

std::string SignedCheckpoint::note() const { return text + "\n" + log_line + "\n"; }

std::string SignedCheckpoint::note_with(const VerifiedCosignature& cosignature) const {
  return note() + cosignature.line + "\n";
}

}  // namespace optiks::client
