// Declarations that the sources of the batch functions share.
#pragma once

#include <algorithm>

#include "keys.h"
#include "lanes/kernel.h"
#include "optiks/base/kernel.h"
#include "optiks/vrf/ecvrf.h"
#include "suite.h"

namespace optiks::vrf {

// The number of elements that the scalar path of a batch processes together. Chunks are large enough to share the cost
// of one inversion, and small enough for the stack and the first-level cache.
inline constexpr std::size_t kChunk = 8;

// The maximum number of points in one call of encode_many: four for each element of a chunk.
inline constexpr std::size_t kMaxEncode = 4 * kChunk;

// Writes the strings of n points, with one inversion for all of them. Constant time in the points.
void encode_many(PointString* out, const Point* points, std::size_t n);

// Aborts unless alphas.offsets describe strings within alphas.bytes.
void check_alphas(const Alphas& alphas);

// Returns the functions of a batch kernel, or null for the scalar path.
[[nodiscard]] const lanes::Kernel* kernel_of(base::Kernel kernel);

// The least number of elements for which each kernel is faster than the scalar path. A group of lanes takes the same
// time with fewer elements.
#define OPTIKS_LEAST_BATCH(name, Name, hash_lanes, least_batch, instructions) least_batch,
inline constexpr std::size_t kLeastBatch[] = {0, OPTIKS_LANE_KERNELS(OPTIKS_LEAST_BATCH)};
#undef OPTIKS_LEAST_BATCH

// Returns the kernel to use for a batch of n elements.
[[nodiscard]] inline base::Kernel batch_kernel(std::size_t n) {
  const base::Kernel kernel = base::kernel();
  return n < kLeastBatch[static_cast<std::size_t>(kernel)] ? base::Kernel::kScalar : kernel;
}

// Processes n elements with a kernel, in chunks of the kernel's size. The function calls by_lanes(kernel, first, count)
// for the kernels that compute many elements in lanes, and by_one(first, count) for the scalar path.
template <typename ByLanes, typename ByOne>
void for_chunks(base::Kernel kernel, std::size_t n, ByLanes by_lanes, ByOne by_one) {
  if constexpr (kHasLanes) {
    if (const lanes::Kernel* const groups = kernel_of(kernel); groups != nullptr) {
      const std::size_t chunk = lanes::kMaxGroups * groups->lanes;
      for (std::size_t first = 0; first < n; first += chunk) {
        by_lanes(*groups, first, std::min(chunk, n - first));
      }
      return;
    }
  }
  for (std::size_t first = 0; first < n; first += kChunk) {
    by_one(first, std::min(kChunk, n - first));
  }
}

// The batch functions of ecvrf.h, with a given kernel. The machine must support the kernel.
void evaluate_batch_by(base::Kernel kernel, const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels);
void prove_batch_by(base::Kernel kernel, const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels,
                    base::MutableByteSpan proofs);
void verify_batch_by_vartime(base::Kernel kernel, const PublicKey& key, const Alphas& alphas, base::ByteSpan proofs,
                             base::MutableByteSpan labels, std::span<Reason> reasons);

// The parts of the batch functions that compute many elements in lanes (batch_lanes.cc). Each call processes at most
// kMaxMany elements, from element `first` on.
void evaluate_lanes(const lanes::Kernel& kernel, const SecretKey::Impl& key, const Alphas& alphas, std::size_t first,
                    std::size_t n, base::MutableByteSpan labels);
void prove_lanes(const lanes::Kernel& kernel, const SecretKey::Impl& key, const Alphas& alphas, std::size_t first,
                 std::size_t n, base::MutableByteSpan labels, base::MutableByteSpan proofs);
void verify_lanes_vartime(const lanes::Kernel& kernel, const PublicKey::Impl& key, const Alphas& alphas,
                          base::ByteSpan proofs, std::size_t first, std::size_t n, base::MutableByteSpan labels,
                          std::span<Reason> reasons);

// Writes a proof: Gamma, c and s = k + c*x mod N, where c is a 128-bit integer.
void write_proof(std::span<std::uint8_t, kProofLen> proof, const PointString& gamma,
                 const std::array<std::uint8_t, kChallengeLen>& c, const Scalar& k, const ShiftedScalar& x);

// Returns s of a proof. The function does not check that s is below N.
[[nodiscard]] Scalar response_of(std::span<const std::uint8_t, kProofLen> proof);

[[nodiscard]] inline std::span<std::uint8_t, kLabelLen> label_at(base::MutableByteSpan labels, std::size_t i) {
  return labels.subspan(i * kLabelLen).first<kLabelLen>();
}

}  // namespace optiks::vrf
