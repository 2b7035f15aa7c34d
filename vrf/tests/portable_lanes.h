// Lane types in plain C++, which have the results of the kernels' instructions on every machine, under Valgrind and
// under the sanitizers.
#pragma once

#include "lanes/word.h"

namespace optiks::vrf::lanes {

// The semantics of Ifma in plain C++.
struct Portable {
  using Limbs = Limbs43;
  using Words [[gnu::vector_size(64)]] = u64;
  static constexpr std::size_t kLanes = 8;
  static constexpr bool kInline = false;  // whether a product of elements is short enough to be inlined

  // Returns `sum` plus the low 52 bits of the product of the low 52 bits of `a` and `b`.
  OPTIKS_INLINE static Words multiply_add_low(Words sum, Words a, Words b) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      sum[i] += low64(mul_64x64(a[i] & kMask, b[i] & kMask)) & kMask;
    }
    return sum;
  }

  // Returns `sum` plus bits 52 to 103 of the product of the low 52 bits of `a` and `b`.
  OPTIKS_INLINE static Words multiply_add_high(Words sum, Words a, Words b) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      sum[i] += low64(mul_64x64(a[i] & kMask, b[i] & kMask) >> 52);
    }
    return sum;
  }

  // Returns `a` in the lanes where `mask` is all ones, and `b` where it is zero.
  OPTIKS_INLINE static Words select(Words mask, Words a, Words b) { return b ^ (mask & (a ^ b)); }

  // Returns `from - a` in the lanes where `mask` is all ones, and `a` where it is zero.
  OPTIKS_INLINE static Words subtract_if(Words mask, Words from, Words a) { return select(mask, from - a, a); }

  // Returns a mask that is all ones in the lanes where bit number `bit` of `a` is set.
  OPTIKS_INLINE static Words bit_mask(Words a, std::size_t bit) { return Words{} - ((a >> bit) & 1); }

  // Returns a mask that is all ones in the lanes where `a` equals `b`.
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

// The semantics of Avx2 in plain C++. The tests of the arithmetic in five limbs use
// this lane type.
struct Portable4 {
  using Limbs = Limbs26;
  using Words [[gnu::vector_size(32)]] = u64;
  static constexpr std::size_t kLanes = 4;

  // Returns the product of the lower halves.
  OPTIKS_INLINE static Words multiply(Words a, Words b) { return (a & kLower) * (b & kLower); }
  OPTIKS_INLINE static Words select(Words mask, Words a, Words b) { return b ^ (mask & (a ^ b)); }
  OPTIKS_INLINE static Words equal(Words a, Words b) { return reinterpret_cast<Words>(a == b); }
  // Returns words whose lower halves are the lower halves of `low`, and whose upper halves are the lower halves of
  // `high`.
  OPTIKS_INLINE static Words pack(Words low, Words high) { return (low & kLower) | (high << 32); }

 private:
  static constexpr u64 kLower = (u64{1} << 32) - 1;
};

}  // namespace optiks::vrf::lanes
