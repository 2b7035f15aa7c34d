// The interface of a batch kernel: curve arithmetic on groups of inputs, one in each lane, over plain arrays.
// What surrounds it (hashing, scalars, octets of proofs) is batch.cc's, compiled for every processor.
#pragma once

#include <array>

#include "comb.h"
#include "decompose.h"
#include "suite.h"
#include "word.h"

namespace optiks::vrf::lanes {

// GroupPoints: the points of a group, as the kernel lays them out: what it passes to itself between two calls.
struct alignas(64) GroupPoints {
  u64 words[240];
};

// A 256-bit integer in each lane: w[j * lanes + i] is word j of that of lane i.
struct alignas(64) GroupScalar {
  u64 w[4 * kMaxLanes];
};

// Groups handled together, so that one inversion and the waits of a square root are spread thin.
inline constexpr std::size_t kMaxGroups = 8;

// The points of one proof that are encoded together.
enum ProofPoint : std::size_t { kGamma, kU, kV, kClearedGamma, kNumProofPoints };
enum VerifyPoint : std::size_t { kVerifyH, kVerifyU, kVerifyV, kVerifyClearedGamma, kNumVerifyPoints };

// All functions are constant time in what they read, except that the comb of a public key and the challenge are public.
// num_groups <= kMaxGroups everywhere; mul_same and prove take 200 KiB of stack. Arrays of lanes*num_groups elements
// hold lane i of group g at lanes*g + i.
struct Kernel {
  const char* name;
  std::size_t lanes;  // at most kMaxLanes

  // H of section 4 of docs/spec/vrf.md, from u, in [0, p] both coordinates.
  void (*encode_to_curve)(GroupPoints* h, const Fp2* u, std::size_t num_groups);

  // point_to_string of num_points groups of points with one inversion; num_points <= kMaxEncode.
  void (*encode)(PointString* out, const GroupPoints* points, std::size_t num_points);

  // digits*H, the same digits in every lane. H has order N.
  void (*mul_same)(GroupPoints* out, const GroupPoints* h, std::size_t num_groups, const Digits& digits);

  // The points of a proof, kNumProofPoints a group, from H, the digits of x, the four parts of every nonce
  // (decompose.h) and its comb bits (comb.h).
  void (*prove)(GroupPoints* out, const GroupPoints* h, std::size_t num_groups, const Digits& x_digits,
                const GroupScalar* k_parts, const GroupScalar* k_comb);

  // string_to_point: the points, and the lanes whose string is one as bits of `valid`; the other lanes get the
  // identity.
  void (*decode)(GroupPoints* out, std::uint8_t* valid, const PointString* strings, std::size_t num_groups);

  // Of a verification: 392*Gamma, sG - cY, sH - cGamma, with H, kNumVerifyPoints a group, and the lanes where 392*Gamma
  // is the identity as bits of small_order. Gamma is any point of the curve. c as two words; s as in prove.
  void (*verify)(GroupPoints* out, std::uint8_t* small_order, const GroupPoints* h, const GroupPoints* gamma,
                 std::size_t num_groups, const ChallengeCombs& y, const GroupScalar* s_parts, const GroupScalar* s_comb,
                 const GroupScalar* c);
};

inline constexpr std::size_t kMaxEncode = kNumProofPoints * kMaxGroups;
static_assert(std::size_t{kNumVerifyPoints} <= kNumProofPoints);

// portable_kernel runs everywhere. The others are null where the library was built without them, and to be called only
// on processors that have their instructions (optiks/base/kernel.h).
[[nodiscard]] const Kernel& portable_kernel();
[[nodiscard]] const Kernel* avx2_kernel();
[[nodiscard]] const Kernel* ifma_kernel();

}  // namespace optiks::vrf::lanes
