#include "optiks/base/blake2b_many.h"

#include <algorithm>
#include <cstring>

#include "blake2b_core.h"
#include "blake2b_each.h"
#include "optiks/base/secret.h"

namespace optiks::base {
namespace {

// A function that hashes num_lanes messages at a time.
struct LaneHash {
  internal::Blake2bLanes* hash;
  std::size_t num_lanes;
};
#define OPTIKS_LANE_HASH(name, Name, hash_lanes, least_batch, instructions) {internal::blake2b_##name, hash_lanes},
constexpr LaneHash kLaneHashes[] = {OPTIKS_LANE_KERNELS(OPTIKS_LANE_HASH)};
#undef OPTIKS_LANE_HASH
// The buffers of hash_padded() have room for this many lanes.
constexpr std::size_t kMaxLanes = 8;
static_assert(std::ranges::all_of(kLaneHashes, [](const LaneHash& lanes) { return lanes.num_lanes <= kMaxLanes; }));

// If there are at least this many messages, hashing them in lanes is faster than hashing one message after another,
// even though some lanes have no message.
constexpr std::size_t kLeastPadded = 2;
// A group that leaves lanes unused is hashed message by message if its slots are longer than this. Copying these slots
// would cost as much time as the lanes save.
constexpr std::size_t kMaxPaddedStride = 2 * kBlake2bBlockLen;

// Hashes fewer messages than there are lanes. The other lanes hash one zero octet.
void hash_padded(const LaneHash& lanes, std::uint8_t* digests, std::size_t digest_len, const Blake2bPrefix& prefix,
                 const std::uint8_t* slots, std::size_t stride, std::span<const std::size_t> lens) {
  std::uint8_t padded[kMaxLanes * kMaxPaddedStride];
  std::uint8_t hashes[kMaxLanes * kBlake2bMaxDigestLen];
  std::size_t padded_lens[kMaxLanes];
  std::memcpy(padded, slots, lens.size() * stride);
  std::memset(padded + lens.size() * stride, 0, (lanes.num_lanes - lens.size()) * stride);
  std::fill(std::copy(lens.begin(), lens.end(), padded_lens), padded_lens + lanes.num_lanes, 1);
  lanes.hash(hashes, digest_len, prefix.state.data(), prefix.num_absorbed, padded, stride, padded_lens);
  std::memcpy(digests, hashes, lens.size() * digest_len);
  zeroize(padded, lens.size() * stride);
  zeroize(hashes, lens.size() * digest_len);
}

// Hashes the messages in groups of `num_lanes`, then the remaining messages.
void hash_lanes(const LaneHash& lanes, std::uint8_t* digests, std::size_t digest_len, const Blake2bPrefix& prefix,
                const std::uint8_t* slots, std::size_t stride, std::span<const std::size_t> lens) {
  std::size_t i = 0;
  for (; i + lanes.num_lanes <= lens.size(); i += lanes.num_lanes) {
    lanes.hash(digests + i * digest_len, digest_len, prefix.state.data(), prefix.num_absorbed, slots + i * stride,
               stride, lens.data() + i);
  }
  if (lens.size() - i >= kLeastPadded && stride <= kMaxPaddedStride) {
    hash_padded(lanes, digests + i * digest_len, digest_len, prefix, slots + i * stride, stride, lens.subspan(i));
    return;
  }
  for (; i < lens.size(); ++i) {
    internal::blake2b_one(digests + i * digest_len, digest_len, prefix, slots + i * stride, lens[i]);
  }
}

}  // namespace

void blake2b_many_by(Kernel kernel, MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix,
                     ByteSpan slots, std::size_t stride, std::span<const std::size_t> lens) {
  internal::check_sizes(digests, digest_len, slots, stride, lens);
  if (kernel == Kernel::kScalar) {
    internal::blake2b_each(digests, digest_len, prefix, slots, stride, lens);
    return;
  }
  // The enumerators of Kernel are kScalar and then the rows of the registry.
  const LaneHash& lanes = kLaneHashes[static_cast<std::size_t>(kernel) - 1];
  hash_lanes(lanes, digests.data(), digest_len, prefix, slots.data(), stride, lens);
}

void blake2b_many(MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix, ByteSpan slots,
                  std::size_t stride, std::span<const std::size_t> lens) {
  blake2b_many_by(kernel(), digests, digest_len, prefix, slots, stride, lens);
}

}  // namespace optiks::base
