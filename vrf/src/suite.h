// The hashes of the VRF suite (docs/spec/vrf.md sections 2, 4, 6 and 7), with all strings for domain separation.
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

// Returns the hash state of encode_to_curve after it absorbed everything that depends only on the key.
[[nodiscard]] base::Blake2b encode_prefix(std::span<const std::uint8_t, kPointLen> public_key);

// Returns u of docs/spec/vrf.md section 4 step 4.
[[nodiscard]] Fp2 hash_to_field(const base::Blake2b& prefix, base::ByteSpan alpha);

// Returns the point H. The function is constant time in alpha; the length of alpha is public.
[[nodiscard]] Point encode_to_curve(const base::Blake2b& prefix, base::ByteSpan alpha);

// Returns the hash state of the nonce after it absorbed the secret scalar.
[[nodiscard]] base::Blake2b nonce_prefix(std::span<const std::uint8_t, 32> secret_scalar);
[[nodiscard]] Scalar nonce(const base::Blake2b& prefix, const PointString& h);

// Returns c from the five points, in the order of docs/spec/vrf.md section 6 step 5.
[[nodiscard]] std::array<std::uint8_t, kChallengeLen> challenge(std::span<const std::uint8_t, kPointLen> y,
                                                                const PointString& h, const PointString& gamma,
                                                                const PointString& u, const PointString& v);

// The following functions compute the same hashes for many elements at a time, in lanes if base/blake2b_many.h supports
// them. These functions are constant time in everything but lengths, and erase their copies of the octets that they
// hashed.

// Writes u for n alphas from alpha `first` on, with n <= kMaxMany. `prefix` is encode_prefix of public_key.
inline constexpr std::size_t kMaxMany = 64;
void hash_to_field_many(Fp2* u, const base::Blake2b& prefix, const PointString& public_key, const Alphas& alphas,
                        std::size_t first, std::size_t n);

// Writes the nonces k for n strings of points H.
void nonce_many(Scalar* k, std::span<const std::uint8_t, 32> secret_scalar, const PointString* h, std::size_t n);

// The strings that one challenge binds, in addition to Y.
struct ChallengeInput {
  const PointString* h;
  const PointString* gamma;
  const PointString* u;
  const PointString* v;
};
void challenge_many(std::array<std::uint8_t, kChallengeLen>* c, const PointString& y, const ChallengeInput* inputs,
                    std::size_t n);

// Writes the labels for n strings of points 392*Gamma, one after another.
void label_many(base::MutableByteSpan labels, const PointString* const* cleared_gammas, std::size_t n);

// Writes a label, the first 32 octets of beta, from point_to_string(392*Gamma).
void label_of(std::span<std::uint8_t, 32> label, const PointString& cleared_gamma);

}  // namespace optiks::vrf
