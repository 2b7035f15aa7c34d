// The interface of a batch kernel: curve arithmetic on groups of inputs, one in each lane, over plain arrays. batch.cc
// does the rest (hashing, scalars, octets of proofs) and is compiled for every processor.
#pragma once

#include <array>

#include "comb.h"
#include "decompose.h"
#include "suite.h"
#include "word.h"

namespace optiks::vrf::lanes {

// The points of a group, in the kernel's own layout. A kernel uses this type to pass points from one call to another.
struct alignas(64) GroupPoints {
  u64 words[240];
};

// A 256-bit integer in each lane: w[j * lanes + i] is word j of the integer of lane i.
struct alignas(64) GroupScalar {
  u64 w[4 * kMaxLanes];
};

// The maximum number of groups handled together, which share the cost of one inversion and the latency of a square
// root.
inline constexpr std::size_t kMaxGroups = 8;

// The points of one proof, which are encoded together.
enum ProofPoint : std::size_t { kGamma, kU, kV, kClearedGamma, kNumProofPoints };
enum VerifyPoint : std::size_t { kVerifyH, kVerifyU, kVerifyV, kVerifyClearedGamma, kNumVerifyPoints };

// All functions are constant time in their inputs, except that the comb of a public key and the challenge are public.
// num_groups <= kMaxGroups everywhere; mul_same and prove use 200 KiB of stack. Arrays of lanes*num_groups elements
// hold lane i of group g at lanes*g + i.
struct Kernel {
  const char* name;
  std::size_t lanes;  // at most kMaxLanes

  // Computes H of section 4 of docs/spec/vrf.md from u. Both coordinates of u are in [0, p].
  void (*encode_to_curve)(GroupPoints* h, const Fp2* u, std::size_t num_groups);

  // Computes point_to_string of num_points groups of points with one inversion; num_points <= kMaxEncode.
  void (*encode)(PointString* out, const GroupPoints* points, std::size_t num_points);

  // Computes digits*H, with the same digits in every lane. H has order N.
  void (*mul_same)(GroupPoints* out, const GroupPoints* h, std::size_t num_groups, const Digits& digits);

  // Computes the points of a proof, kNumProofPoints in each group. The inputs are H, the digits of x, the four parts of
  // every nonce (decompose.h) and its comb bits (comb.h).
  void (*prove)(GroupPoints* out, const GroupPoints* h, std::size_t num_groups, const Digits& x_digits,
                const GroupScalar* k_parts, const GroupScalar* k_comb);

  // Computes string_to_point. The bits of `valid` are the lanes whose string is a point. The other lanes get the
  // identity.
  void (*decode)(GroupPoints* out, std::uint8_t* valid, const PointString* strings, std::size_t num_groups);

  // Computes the points of a verification, kNumVerifyPoints in each group: 392*Gamma, sG - cY and sH - cGamma, together
  // with H. The bits of small_order are the lanes where 392*Gamma is the identity. Gamma is any point of the curve. c
  // has two words; s is as in prove.
  void (*verify)(GroupPoints* out, std::uint8_t* small_order, const GroupPoints* h, const GroupPoints* gamma,
                 std::size_t num_groups, const ChallengeCombs& y, const GroupScalar* s_parts, const GroupScalar* s_comb,
                 const GroupScalar* c);
};

inline constexpr std::size_t kMaxEncode = kNumProofPoints * kMaxGroups;
static_assert(std::size_t{kNumVerifyPoints} <= kNumProofPoints);

// portable_kernel runs everywhere. The others are null if the library was built without them. Call the kernels only on
// processors that have their instructions (optiks/base/kernel.h).
[[nodiscard]] const Kernel& portable_kernel();
[[nodiscard]] const Kernel* avx2_kernel();
[[nodiscard]] const Kernel* ifma_kernel();

}  // namespace optiks::vrf::lanes
