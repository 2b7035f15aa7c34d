// The function of fp2_mul_lanes.h, as a template over the lane type L.
#pragma once

#include "fp2_mul_lanes.h"
#include "lanes/lane_table.h"

namespace optiks::vrf::bench {

template <typename L>
void fp2_mul_chains(lanes::GroupPoints* elements, std::size_t num_rounds) {
  using Limbs = lanes::Words<L>[2][L::Limbs::kNum];
  const auto limbs_of = [](lanes::GroupPoints& points) -> Limbs& { return reinterpret_cast<Limbs&>(points); };
  const auto load = [&](lanes::GroupPoints& points) {
    const Limbs& x = limbs_of(points);
    return lanes::LaneFp2<L, 1>(lanes::fp_of_limbs<L, 1>(x[0]), lanes::fp_of_limbs<L, 1>(x[1]));
  };
  lanes::LaneFp2<L, 1> a[kNumChains];
  lanes::LaneFp2<L, 1> b[kNumChains];
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
    Limbs& x = limbs_of(elements[i]);
    for (std::size_t j = 0; j < L::Limbs::kNum; ++j) {
      x[0][j] = a[i].re.limb[j];
      x[1][j] = a[i].im.limb[j];
    }
  }
}

}  // namespace optiks::vrf::bench
