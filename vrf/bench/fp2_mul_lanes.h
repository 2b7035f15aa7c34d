// Functions that run multiplications in GF(p^2) in lanes, and nothing else. docs/measurements/vrf-ports.md compares
// their measured time with the limits of the processor's execution ports.
#pragma once

#include "lanes/kernel.h"

namespace optiks::vrf::bench {

inline constexpr std::size_t kNumChains = 4;

// Multiplies the coordinates x of points 0 to 3 by the coordinates x of points 4 to 7, num_rounds times.
using Fp2MulLanes = void(lanes::GroupPoints* elements, std::size_t num_rounds);
#define OPTIKS_DECLARATION(name, Name, hash_lanes, least_batch, instructions) Fp2MulLanes fp2_mul_##name;
OPTIKS_LANE_KERNELS(OPTIKS_DECLARATION)
#undef OPTIKS_DECLARATION

}  // namespace optiks::vrf::bench
