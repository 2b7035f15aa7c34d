// Checkpoints with the cosignatures of known auditors and witnesses (docs/spec/board.md sections 2 and 6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "optiks/client/octets.h"
#include "optiks/client/verifier_key.h"
#include "optiks/ozks/verify/checkpoint.h"

namespace optiks::client {

struct VerifiedCosignature {
  std::size_t cosigner = 0;     // the index among the known cosigners
  std::uint64_t timestamp = 0;  // in seconds since 1970 in UTC, below 2^63; may be ahead of the client's clock
  std::string line;             // the signature line, without its newline
};

struct SignedCheckpoint {
  ozks::verify::Checkpoint checkpoint;
  std::string text;      // the signed text
  std::string log_line;  // the log's signature line, without its newline
  // In the order of the first line of each cosigner. If a cosigner made several, the latest of them.
  std::vector<VerifiedCosignature> cosignatures;

  // Verifies the log's signature and those of all known cosigners. A signature of a known cosigner that does not verify
  // makes the whole note invalid; signatures of other keys are ignored. Returns `checkpoint_signature` for it, and
  // otherwise the reason of verify_checkpoint(). No two of the keys may be equal (TrustAnchor::read()).
  static ozks::verify::Reason open(ByteSpan note, const VerifierKey& log_key, std::span<const VerifierKey> cosigners,
                                   ozks::verify::Ed25519Verify ed25519, SignedCheckpoint& out);

  // Returns the note with only the log's line. Clients keep this note, because all of its lines are verified.
  [[nodiscard]] std::string note() const;
  // Returns the note with only the log's line and the line of one of the cosignatures.
  [[nodiscard]] std::string note_with(const VerifiedCosignature& cosignature) const;
};

}  // namespace optiks::client
