// The interface of a batch kernel: curve arithmetic on groups of inputs, one input in each lane. The functions take and
// return plain arrays. Everything else (hashing, scalars, the octets of proofs) is in batch.cc and batch_lanes.cc,
// which are compiled for every processor.
#pragma once

#include <array>

#include "comb.h"
#include "decompose.h"
#include "optiks/base/kernel.h"
#include "suite.h"
#include "word.h"

namespace optiks::vrf::lanes {

// The points of a group, in the kernel's own layout. Callers use this type to pass points from one call of a kernel to
// another.
struct alignas(64) GroupPoints {
  u64 words[240];
};

// A 256-bit integer in each lane: w[j * lanes + i] is word j of the integer of lane i.
struct alignas(64) GroupScalar {
  u64 w[4 * kMaxLanes];
};

// The maximum number of groups in one call. The groups of a call share the cost of one inversion and the latency of a
// square root.
inline constexpr std::size_t kMaxGroups = 8;

// The points of one proof, which encode converts to strings together.
enum ProofPoint : std::size_t { kGamma, kU, kV, kClearedGamma, kNumProofPoints };
enum VerifyPoint : std::size_t { kVerifyH, kVerifyU, kVerifyV, kVerifyClearedGamma, kNumVerifyPoints };

// The functions of a kernel. They are constant time in all inputs except the comb of a public key and the challenge,
// which are public. num_groups is at most kMaxGroups in every call. mul_same and prove use 200 KiB of stack. Arrays of
// lanes*num_groups elements hold the element of lane i of group g at index lanes*g + i.
struct Kernel {
  std::size_t lanes;  // at most kMaxLanes

  // Computes H of docs/spec/vrf.md section 4 from u. Both coordinates of u are in [0, p].
  void (*encode_to_curve)(GroupPoints* h, const Fp2* u, std::size_t num_groups);

  // Computes point_to_string of num_points groups of points, with one inversion for all of them. num_points is at most
  // kMaxEncode.
  void (*encode)(PointString* out, const GroupPoints* points, std::size_t num_points);

  // Multiplies H by the scalar with these digits; all lanes have the same scalar. H has order N.
  void (*mul_same)(GroupPoints* out, const GroupPoints* h, std::size_t num_groups, const Digits& digits);

  // Computes the points of proofs, kNumProofPoints for each group. The inputs are H, the digits of x, and for every
  // nonce its four parts (decompose.h) and its comb bits (comb.h).
  void (*prove)(GroupPoints* out, const GroupPoints* h, std::size_t num_groups, const Digits& x_digits,
                const GroupScalar* k_parts, const GroupScalar* k_comb);

  // Computes string_to_point. A bit of `valid` is set if the string of its lane is a point. The other lanes get the
  // identity.
  void (*decode)(GroupPoints* out, std::uint8_t* valid, const PointString* strings, std::size_t num_groups);

  // Computes the points of verifications, kNumVerifyPoints for each group: 392*Gamma, sG - cY and sH - cGamma, together
  // with H. A bit of small_order is set if 392*Gamma is the identity in its lane. Gamma may be any point of the curve.
  // c has two words in each lane. s has the same form as the nonces of prove.
  void (*verify)(GroupPoints* out, std::uint8_t* small_order, const GroupPoints* h, const GroupPoints* gamma,
                 std::size_t num_groups, const ChallengeCombs& y, const GroupScalar* s_parts, const GroupScalar* s_comb,
                 const GroupScalar* c);
};

inline constexpr std::size_t kMaxEncode = kNumProofPoints * kMaxGroups;
static_assert(std::size_t{kNumVerifyPoints} <= kNumProofPoints);

// The function <name>_kernel of each kernel, which returns null if the library was built without the kernel. Call the
// kernel's functions only if the machine can run it.
#define OPTIKS_DECLARATION(name, Name, hash_lanes, least_batch, instructions) \
  [[nodiscard]] const Kernel* name##_kernel();
OPTIKS_LANE_KERNELS(OPTIKS_DECLARATION)
#undef OPTIKS_DECLARATION

}  // namespace optiks::vrf::lanes
