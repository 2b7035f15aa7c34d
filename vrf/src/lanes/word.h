// Vectors of 64-bit words, which the batch kernels compute with. A kernel is the code of this folder, compiled for one
// lane type. Ifma (ifma.h) has eight lanes and elements in three limbs; Avx2 (avx2.h) has four lanes and elements in
// five limbs. Lane types with the same number of limbs differ only in their multiplication and selections. The tests
// have lane types in plain C++ (tests/portable_lanes.h).
//
// All functions here are always inlined, or are templates over the lane type. The object of a kernel that is compiled
// for newer processors must not contain a function that the linker could use for the rest of the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "limbs.h"

namespace optiks::vrf::lanes {

// The maximum number of lanes of a kernel.
inline constexpr std::size_t kMaxLanes = 8;

// One word in each lane. Comparisons, shifts and arithmetic act on every lane. The words of a mask are all ones or
// zero.
template <typename L>
using Words = typename L::Words;

template <typename L>
OPTIKS_INLINE Words<L> broadcast(u64 word) {
  return Words<L>{} + word;
}

}  // namespace optiks::vrf::lanes
