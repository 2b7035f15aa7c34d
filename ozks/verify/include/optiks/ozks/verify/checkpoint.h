// Checkpoints as signed notes: docs/spec/board.md section 2.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/reasons.h"

namespace optiks::ozks::verify {

// Ed25519Verify: whether `signature` (64 octets) over `message` is valid under `public_key` (32 octets), strictly:
// canonical S and points, no small-order key. Must not throw. A function, so that each build (libsodium, wasm) brings
// its own.
using Ed25519Verify = bool (*)(ByteSpan public_key, ByteSpan message, ByteSpan signature);

struct Checkpoint {
  std::uint64_t size = 0;
  Hash root{};
};

// verify_checkpoint: `origin` and `log_public_key` (32) are the trust anchor's. Signature lines of others are ignored
// once the note is well-formed.
Reason verify_checkpoint(ByteSpan note, ByteSpan origin, ByteSpan log_public_key, Ed25519Verify ed25519,
                         Checkpoint& out);

}  // namespace optiks::ozks::verify
