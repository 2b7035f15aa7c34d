// BLAKE2b of many independent messages, four or eight side by side where the processor allows (kernel.h). The time and
// the memory access pattern depend on lengths only.
#pragma once

#include <cstddef>
#include <span>

#include "optiks/base/blake2b.h"
#include "optiks/base/kernel.h"

namespace optiks::base {

// blake2b_many writes n digests of digest_len octets, unkeyed, one behind the other: of the prefix and then message i,
// the first lens[i] octets of slot i. A slot has stride octets, a multiple of 128; the octets of a slot behind its
// message must be 0. After the prefix at least one octet has to follow: lens[i] in [1, stride]. digest_len is that of
// the prefix. Sizes that do not fit abort.
void blake2b_many(MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix, ByteSpan slots,
                  std::size_t stride, std::span<const std::size_t> lens);

// The same by a kernel of the caller's choice, for tests and benchmarks; the machine must have it.
void blake2b_many_by(Kernel kernel, MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix,
                     ByteSpan slots, std::size_t stride, std::span<const std::size_t> lens);

}  // namespace optiks::base
