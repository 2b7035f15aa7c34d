#include "blake2b_each.h"

#include <algorithm>
#include <cstring>

#include "blake2b_core.h"
#include "optiks/base/check.h"
#include "optiks/base/secret.h"

namespace optiks::base::internal {

void check_sizes(MutableByteSpan digests, std::size_t digest_len, ByteSpan slots, std::size_t stride,
                 std::span<const std::size_t> lens) {
  OPTIKS_CHECK(digest_len >= 1 && digest_len <= kBlake2bMaxDigestLen && digests.size() == lens.size() * digest_len);
  OPTIKS_CHECK(stride % kBlake2bBlockLen == 0 && slots.size() == lens.size() * stride);
  OPTIKS_CHECK(std::all_of(lens.begin(), lens.end(), [&](std::size_t len) { return len >= 1 && len <= stride; }));
}

void blake2b_one(std::uint8_t* digest, std::size_t digest_len, const Blake2bPrefix& prefix, const std::uint8_t* message,
                 std::size_t len) {
  Blake2bState state = prefix.state;
  std::size_t start = 0;
  for (; len - start > kBlake2bBlockLen; start += kBlake2bBlockLen) {
    blake2b_compress(state, message + start, prefix.num_absorbed + start + kBlake2bBlockLen, false);
  }
  blake2b_compress(state, message + start, prefix.num_absorbed + len, true);
  std::uint8_t octets[kBlake2bMaxDigestLen];
  for (std::size_t i = 0; i < 8; ++i) {
    store_le64(octets + 8 * i, state[i]);
  }
  std::memcpy(digest, octets, digest_len);
  zeroize(octets, sizeof(octets));
  zeroize(state.data(), sizeof(state));
}

void blake2b_each(MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix, ByteSpan slots,
                  std::size_t stride, std::span<const std::size_t> lens) {
  for (std::size_t i = 0; i < lens.size(); ++i) {
    blake2b_one(digests.data() + i * digest_len, digest_len, prefix, slots.data() + i * stride, lens[i]);
  }
}

}  // namespace optiks::base::internal
