// Replaces kernel.cc and blake2b_many.cc in a client's build, which has no kernels that compute in lanes.
#include "blake2b_each.h"
#include "optiks/base/blake2b_many.h"
#include "optiks/base/kernel.h"

namespace optiks::base {

Kernel kernel() { return Kernel::kScalar; }

void blake2b_many(MutableByteSpan digests, std::size_t digest_len, const Blake2bPrefix& prefix, ByteSpan slots,
                  std::size_t stride, std::span<const std::size_t> lens) {
  internal::check_sizes(digests, digest_len, slots, stride, lens);
  internal::blake2b_each(digests, digest_len, prefix, slots, stride, lens);
}

}  // namespace optiks::base
