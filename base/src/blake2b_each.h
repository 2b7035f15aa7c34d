// The part of blake2b_many() that every build has: it hashes one message after another.
#pragma once

#include <cstddef>
#include <span>

#include "optiks/base/blake2b.h"

namespace optiks::base::internal {

// Aborts if a size breaks a rule of blake2b_many().
void check_sizes(MutableByteSpan digests, std::size_t digest_len, ByteSpan slots, std::size_t stride,
                 std::span<const std::size_t> lens);

// Hashes the prefix followed by the message, which has at least one octet.
void blake2b_one(std::uint8_t* digest, std::size_t digest_len, const Blake2bPrefix& prefix, const std::uint8_t* message,
                 std::size_t len);

// Does what blake2b_many() does.
void blake2b_each(MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix, ByteSpan slots,
                  std::size_t stride, std::span<const std::size_t> lens);

}  // namespace optiks::base::internal
