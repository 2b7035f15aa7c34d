// The hashes of the suite (docs/spec/vrf.md sections 2, 4, 6 and 7): every domain separation stands here.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "optiks/base/blake2b.h"
#include "point.h"
#include "scalar.h"

namespace optiks::vrf {

using PointString = std::array<std::uint8_t, kPointLen>;

inline constexpr std::size_t kHashLen = 64;
inline constexpr std::size_t kChallengeLen = 16;

// encode_prefix: the hash of encode_to_curve with everything absorbed that depends on the key only.
[[nodiscard]] base::Blake2b encode_prefix(std::span<const std::uint8_t, kPointLen> public_key);

// hash_to_field: the u of section 4 step 4.
[[nodiscard]] Fp2 hash_to_field(const base::Blake2b& prefix, base::ByteSpan alpha);

// encode_to_curve: H. Constant time in alpha, whose length is public.
[[nodiscard]] Point encode_to_curve(const base::Blake2b& prefix, base::ByteSpan alpha);

// nonce_prefix: the hash of the nonce with the secret scalar absorbed.
[[nodiscard]] base::Blake2b nonce_prefix(std::span<const std::uint8_t, 32> secret_scalar);
[[nodiscard]] Scalar nonce(const base::Blake2b& prefix, const PointString& h);

// challenge: c, from the five points in the order of section 6 step 5.
[[nodiscard]] std::array<std::uint8_t, kChallengeLen> challenge(std::span<const std::uint8_t, kPointLen> y,
                                                                const PointString& h, const PointString& gamma,
                                                                const PointString& u, const PointString& v);

// label_of: the first 32 octets of beta, from point_to_string(392*Gamma).
void label_of(std::span<std::uint8_t, 32> label, const PointString& cleared_gamma);

}  // namespace optiks::vrf
