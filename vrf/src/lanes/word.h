// Vectors of 64-bit words, which the batch kernels compute with. A kernel is the code of this folder over one lane
// type. Portable (below) and Ifma (ifma.h) have eight lanes and elements in three limbs; Avx2 (avx2.h) has four lanes
// and elements in five limbs. Lane types with the same number of limbs differ only in their multiplication and
// selections.
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

// One word in each lane. Comparisons, shifts and arithmetic act on every lane; masks are words of all ones or zeros.
template <typename L>
using Words = typename L::Words;

template <typename L>
OPTIKS_INLINE Words<L> broadcast(u64 word) {
  return Words<L>{} + word;
}

// The semantics of the AVX-512 IFMA instructions for every machine, and for Valgrind and the sanitizers.
struct Portable {
  using Limbs = Limbs43;
  using Words [[gnu::vector_size(64)]] = u64;
  static constexpr std::size_t kLanes = 8;
  static constexpr const char* kName = "portable8";
  static constexpr bool kInline = false;  // whether an element's product is short enough to be inlined

  // sum + the low 52 bits of a*b, for the low 52 bits of a and of b.
  OPTIKS_INLINE static Words multiply_add_low(Words sum, Words a, Words b) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      sum[i] += low64(mul_64x64(a[i] & kMask, b[i] & kMask)) & kMask;
    }
    return sum;
  }

  // sum + bits 52 to 103 of the product of the low 52 bits of a and of b.
  OPTIKS_INLINE static Words multiply_add_high(Words sum, Words a, Words b) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      sum[i] += low64(mul_64x64(a[i] & kMask, b[i] & kMask) >> 52);
    }
    return sum;
  }

  // a where mask is all ones, b where it is zero.
  OPTIKS_INLINE static Words select(Words mask, Words a, Words b) { return b ^ (mask & (a ^ b)); }

  // from - a where mask is all ones, a where it is zero.
  OPTIKS_INLINE static Words subtract_if(Words mask, Words from, Words a) { return select(mask, from - a, a); }

  // All ones in the lanes where bit number `bit` is set.
  OPTIKS_INLINE static Words bit_mask(Words a, std::size_t bit) { return Words{} - ((a >> bit) & 1); }

  // All ones in the lanes where a = b.
  OPTIKS_INLINE static Words equal(Words a, Words b) {
    const Words difference = a ^ b;
    Words out;
    for (std::size_t i = 0; i < kLanes; ++i) {
      out[i] = base::ct_mask(base::ct_is_zero(difference[i]));
    }
    return out;
  }

  // Returns table[index mod 16]. No address depends on the index.
  OPTIKS_INLINE static Words lookup16(const u64* table, Words index) {
    Words sum{};
    for (u64 i = 0; i < 16; ++i) {
      sum |= equal(index & 15, broadcast<Portable>(i)) & broadcast<Portable>(table[i]);
    }
    return sum;
  }

 private:
  static constexpr u64 kMask = (u64{1} << 52) - 1;
};

// The semantics of Avx2 for every machine. It is not a kernel: tests of the arithmetic in five limbs use it.
struct Portable4 {
  using Limbs = Limbs26;
  using Words [[gnu::vector_size(32)]] = u64;
  static constexpr std::size_t kLanes = 4;

  // The product of the lower halves.
  OPTIKS_INLINE static Words multiply(Words a, Words b) { return (a & kLower) * (b & kLower); }
  OPTIKS_INLINE static Words select(Words mask, Words a, Words b) { return b ^ (mask & (a ^ b)); }
  OPTIKS_INLINE static Words equal(Words a, Words b) { return reinterpret_cast<Words>(a == b); }
  // The lower half of low as the lower half, and the lower half of high as the upper one.
  OPTIKS_INLINE static Words pack(Words low, Words high) { return (low & kLower) | (high << 32); }

 private:
  static constexpr u64 kLower = (u64{1} << 32) - 1;
};

}  // namespace optiks::vrf::lanes
