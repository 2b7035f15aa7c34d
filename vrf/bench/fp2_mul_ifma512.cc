// Defines the IFMA function of fp2_mul_lanes.h. This file is compiled with the same options as lanes/kernel_ifma512.cc.
#include "fp2_mul_lanes.h"

#ifdef __AVX512IFMA__
#include "fp2_mul_lanes_impl.h"
#include "lanes/ifma.h"
#endif

namespace optiks::vrf::bench {

void fp2_mul_ifma512([[maybe_unused]] lanes::GroupPoints* elements, [[maybe_unused]] std::size_t num_rounds) {
#ifdef __AVX512IFMA__
  fp2_mul_chains<lanes::Ifma>(elements, num_rounds);
#endif
}

}  // namespace optiks::vrf::bench
