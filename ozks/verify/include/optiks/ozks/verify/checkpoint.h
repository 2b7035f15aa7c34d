// Verifies checkpoints, which are signed notes (docs/spec/board.md section 2).
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/reasons.h"

namespace optiks::ozks::verify {

// Returns true if `signature` (64 octets) over `message` is valid under `public_key` (32 octets). The check is strict:
// the signature's S and all points must be canonical, and keys of small order are refused. The function must not throw.
// Each build of the verifier supplies its own function.
using Ed25519Verify = bool (*)(ByteSpan public_key, ByteSpan message, ByteSpan signature);

struct Checkpoint {
  std::uint64_t size = 0;
  Hash root{};
};

// Verifies a signed note. `origin` and `log_public_key` (32 octets) come from the trust anchor. Signature lines of
// other keys must be well-formed, but are otherwise ignored.
Reason verify_checkpoint(ByteSpan note, ByteSpan origin, ByteSpan log_public_key, Ed25519Verify ed25519,
                         Checkpoint& out);

}  // namespace optiks::ozks::verify
