// Defines the AVX2 function of fp2_mul_lanes.h. This file is compiled with the same options as lanes/kernel_avx2.cc.
#include "fp2_mul_lanes.h"

#ifdef __AVX2__
#include "fp2_mul_lanes_impl.h"
#include "lanes/avx2.h"
#endif

namespace optiks::vrf::bench {

void fp2_mul_avx2([[maybe_unused]] lanes::GroupPoints* elements, [[maybe_unused]] std::size_t num_rounds) {
#ifdef __AVX2__
  fp2_mul_chains<lanes::Avx2>(elements, num_rounds);
#endif
}

}  // namespace optiks::vrf::bench
