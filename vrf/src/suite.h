// The hashes of the suite (docs/spec/vrf.md sections 2, 4, 6 and 7): every domain separation stands here.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "optiks/base/blake2b.h"
#include "optiks/vrf/ecvrf.h"
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

// The same for many elements at a time, side by side where base/blake2b_many.h can. Constant time in everything but
// lengths; what they have absorbed is erased.

// hash_to_field_many: u of alphas first to first + n - 1, n <= kMaxMany. prefix is encode_prefix of public_key.
inline constexpr std::size_t kMaxMany = 64;
void hash_to_field_many(Fp2* u, const base::Blake2b& prefix, const PointString& public_key, const Alphas& alphas,
                        std::size_t first, std::size_t n);

// nonce_many: k of n strings of H.
void nonce_many(Scalar* k, std::span<const std::uint8_t, 32> secret_scalar, const PointString* h, std::size_t n);

// The strings that one challenge binds, besides Y.
struct ChallengeInput {
  const PointString* h;
  const PointString* gamma;
  const PointString* u;
  const PointString* v;
};
void challenge_many(std::array<std::uint8_t, kChallengeLen>* c, const PointString& y, const ChallengeInput* inputs,
                    std::size_t n);

// label_many: the labels of n strings of 392*Gamma, one behind the other.
void label_many(base::MutableByteSpan labels, const PointString* const* cleared_gammas, std::size_t n);

// label_of: the first 32 octets of beta, from point_to_string(392*Gamma).
void label_of(std::span<std::uint8_t, 32> label, const PointString& cleared_gamma);

}  // namespace optiks::vrf
