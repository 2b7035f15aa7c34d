// The lane type for processors with AVX-512 F, DQ, VL and IFMA. Include this header only in sources that are compiled
// with these.
#pragma once

#include <immintrin.h>

#include "word.h"

namespace optiks::vrf::lanes {

struct Ifma {
  using Limbs = Limbs43;
  using Words [[gnu::vector_size(64)]] = u64;
  static constexpr std::size_t kLanes = 8;
  static constexpr bool kInline = true;

  OPTIKS_INLINE static Words multiply_add_low(Words sum, Words a, Words b) {
    return words(_mm512_madd52lo_epu64(vector(sum), vector(a), vector(b)));
  }
  OPTIKS_INLINE static Words multiply_add_high(Words sum, Words a, Words b) {
    return words(_mm512_madd52hi_epu64(vector(sum), vector(a), vector(b)));
  }

  // The last operand of vpternlogq is a truth table, indexed by the bits of the three inputs. The instruction
  // overwrites its first operand. The code passes b as the first operand and not the mask, because copies of a mask
  // that is needed often would take time.
  OPTIKS_INLINE static Words select(Words mask, Words a, Words b) {
    return words(_mm512_ternarylogic_epi64(vector(b), vector(mask), vector(a), 0xb8));
  }
  // The code forces `from` into a register, because a masked instruction may not read memory
  // (tests/check_disassembly.py), not even a constant.
  OPTIKS_INLINE static Words subtract_if(Words mask, Words from, Words a) {
    asm("" : "+v"(from));
    return words(_mm512_mask_sub_epi64(vector(a), _mm512_movepi64_mask(vector(mask)), vector(from), vector(a)));
  }
  OPTIKS_INLINE static Words bit_mask(Words a, std::size_t bit) {
    return words(_mm512_movm_epi64(_mm512_test_epi64_mask(vector(a), _mm512_set1_epi64(1LL << bit))));
  }
  OPTIKS_INLINE static Words equal(Words a, Words b) {
    return words(_mm512_movm_epi64(_mm512_cmpeq_epi64_mask(vector(a), vector(b))));
  }
  OPTIKS_INLINE static Words lookup16(const u64* table, Words index) {
    return words(_mm512_permutex2var_epi64(_mm512_loadu_si512(table), vector(index), _mm512_loadu_si512(table + 8)));
  }

 private:
  OPTIKS_INLINE static __m512i vector(Words a) { return reinterpret_cast<__m512i>(a); }
  OPTIKS_INLINE static Words words(__m512i a) { return reinterpret_cast<Words>(a); }
};

}  // namespace optiks::vrf::lanes
