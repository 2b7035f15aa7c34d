// Compiled like lanes/kernel_ifma.cc.
#include "fp2_mul_lanes.h"

#ifdef __AVX512IFMA__
#include "lanes/ifma.h"
#include "lanes/lane_fp2.h"
#endif

namespace optiks::vrf::bench {

void fp2_mul_ifma(lanes::GroupPoints* elements, std::size_t num_rounds) {
#ifdef __AVX512IFMA__
  using Element = lanes::LaneFp2<lanes::Ifma, 1>;
  const auto load = [](const lanes::GroupPoints& in) {
    const auto& x = in.limbs[0];
    return Element({x[0][0], x[0][1], x[0][2]}, {x[1][0], x[1][1], x[1][2]});
  };
  Element a[kNumChains];
  Element b[kNumChains];
  for (std::size_t i = 0; i < kNumChains; ++i) {
    a[i] = load(elements[i]);
    b[i] = load(elements[i + kNumChains]);
  }
  for (std::size_t round = 0; round < num_rounds; ++round) {
    for (std::size_t i = 0; i < kNumChains; ++i) {
      a[i] = fp2_mul(a[i], b[i]);
    }
  }
  for (std::size_t i = 0; i < kNumChains; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      elements[i].limbs[0][0][j] = a[i].re.limb[j];
      elements[i].limbs[0][1][j] = a[i].im.limb[j];
    }
  }
#else
  static_cast<void>(elements);
  static_cast<void>(num_rounds);
#endif
}

}  // namespace optiks::vrf::bench
