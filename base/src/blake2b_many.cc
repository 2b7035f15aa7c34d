#include "optiks/base/blake2b_many.h"

#include <algorithm>
#include <cstring>

#include "blake2b_core.h"
#include "optiks/base/check.h"
#include "optiks/base/secret.h"

namespace optiks::base {
namespace {

// A function that hashes num_lanes messages at a time.
struct LaneHash {
  internal::Blake2bLanes* hash;
  std::size_t num_lanes;
};
constexpr std::size_t kMaxLanes = 8;

void hash_one(std::uint8_t* digest, std::size_t digest_len, const Blake2bPrefix& prefix, const std::uint8_t* message,
              std::size_t len) {
  internal::Blake2bState state = prefix.state;
  std::size_t start = 0;
  for (; len - start > kBlake2bBlockLen; start += kBlake2bBlockLen) {
    internal::blake2b_compress(state, message + start, prefix.num_absorbed + start + kBlake2bBlockLen, false);
  }
  internal::blake2b_compress(state, message + start, prefix.num_absorbed + len, true);
  std::uint8_t octets[kBlake2bMaxDigestLen];
  for (std::size_t i = 0; i < 8; ++i) {
    store_le64(octets + 8 * i, state[i]);
  }
  std::memcpy(digest, octets, digest_len);
  zeroize(octets, sizeof(octets));
  zeroize(state.data(), sizeof(state));
}

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
    hash_one(digests + i * digest_len, digest_len, prefix, slots + i * stride, lens[i]);
  }
}

}  // namespace

void blake2b_many_by(Kernel kernel, MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix,
                     ByteSpan slots, std::size_t stride, std::span<const std::size_t> lens) {
  OPTIKS_CHECK(digest_len >= 1 && digest_len <= kBlake2bMaxDigestLen && digests.size() == lens.size() * digest_len);
  OPTIKS_CHECK(stride % kBlake2bBlockLen == 0 && slots.size() == lens.size() * stride);
  OPTIKS_CHECK(std::all_of(lens.begin(), lens.end(), [&](std::size_t len) { return len >= 1 && len <= stride; }));
  switch (kernel) {
    case Kernel::kScalar:
      for (std::size_t i = 0; i < lens.size(); ++i) {
        hash_one(digests.data() + i * digest_len, digest_len, prefix, slots.data() + i * stride, lens[i]);
      }
      break;
    case Kernel::kPortable8:
      hash_lanes({internal::blake2b_eight_portable, 8}, digests.data(), digest_len, prefix, slots.data(), stride, lens);
      break;
    case Kernel::kAvx2:
      hash_lanes({internal::blake2b_four_avx2, 4}, digests.data(), digest_len, prefix, slots.data(), stride, lens);
      break;
    case Kernel::kIfma512:
      hash_lanes({internal::blake2b_eight_avx512, 8}, digests.data(), digest_len, prefix, slots.data(), stride, lens);
      break;
  }
}

void blake2b_many(MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix, ByteSpan slots,
                  std::size_t stride, std::span<const std::size_t> lens) {
  blake2b_many_by(kernel(), digests, digest_len, prefix, slots, stride, lens);
}

}  // namespace optiks::base
