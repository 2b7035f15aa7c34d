// BLAKE2b of many independent messages, four or eight at a time if the processor allows it (kernel.h). The time and the
// memory access pattern depend only on the lengths of the messages.
#pragma once

#include <cstddef>
#include <span>

#include "optiks/base/blake2b.h"
#include "optiks/base/kernel.h"

namespace optiks::base {

// Writes `n` unkeyed digests of `digest_len` octets each, one after another. Digest `i` is the hash of the prefix
// followed by message `i`. Message `i` is the first `lens[i]` octets of slot `i`; `lens[i]` must be in [1, `stride`]. A
// slot has `stride` octets, a multiple of 128; the octets of a slot after its message must be 0. `digest_len` must be
// the digest length of the prefix. The function aborts if a size breaks one of these rules.
void blake2b_many(MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix, ByteSpan slots,
                  std::size_t stride, std::span<const std::size_t> lens);

// Does what `blake2b_many()` does, but with the given kernel. For tests and benchmarks. The machine must support the
// kernel.
void blake2b_many_by(Kernel kernel, MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix,
                     ByteSpan slots, std::size_t stride, std::span<const std::size_t> lens);

}  // namespace optiks::base
