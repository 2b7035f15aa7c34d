// Hashes messages with AVX-512 F instructions. Call the function only if the machine can run this kernel (kernel.h).
#include "blake2b_lanes.h"

namespace optiks::base::internal {

void blake2b_ifma512(std::uint8_t* digests, std::size_t digest_len, const std::uint64_t* state,
                     std::uint64_t num_absorbed, const std::uint8_t* slots, std::size_t stride,
                     const std::size_t* lens) {
  hash_lanes<Words8>(digests, digest_len, state, num_absorbed, slots, stride, lens);
}

}  // namespace optiks::base::internal
