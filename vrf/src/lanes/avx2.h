// The lane type for processors with AVX2. Include this header only in sources that are compiled with AVX2.
#pragma once

#include <immintrin.h>

#include "word.h"

namespace optiks::vrf::lanes {

struct Avx2 {
  using Limbs = Limbs26;
  using Words [[gnu::vector_size(32)]] = u64;
  static constexpr std::size_t kLanes = 4;
  static constexpr bool kInline = true;

  OPTIKS_INLINE static Words multiply(Words a, Words b) { return words(_mm256_mul_epu32(vector(a), vector(b))); }
  OPTIKS_INLINE static Words select(Words mask, Words a, Words b) {
    return words(_mm256_blendv_epi8(vector(b), vector(a), vector(mask)));
  }
  OPTIKS_INLINE static Words bit_mask(Words a, std::size_t bit) { return Words{} - ((a >> bit) & 1); }
  OPTIKS_INLINE static Words equal(Words a, Words b) { return words(_mm256_cmpeq_epi64(vector(a), vector(b))); }
  OPTIKS_INLINE static Words pack(Words low, Words high) {
    return words(_mm256_blend_epi32(vector(low), _mm256_slli_epi64(vector(high), 32), 0xaa));
  }

  // Returns the entries at `index` of two tables of 16 words of 32 bits. Each table is in two registers: vpermd selects
  // one of eight words by the low three bits of the index.
  OPTIKS_INLINE static Words lookup16(const std::uint32_t* low, const std::uint32_t* high, Words index) {
    const __m256i both = _mm256_shuffle_epi32(vector(index), 0xa0);  // the index in both halves of each lane
    const __m256i above = _mm256_slli_epi32(both, 28);               // bit 3 of the index, moved to the sign bit
    const auto permute = [&](const std::uint32_t* table) {
      return _mm256_permutevar8x32_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(table)), both);
    };
    const auto choose = [&](const std::uint32_t* table) {
      return _mm256_blendv_ps(_mm256_castsi256_ps(permute(table)), _mm256_castsi256_ps(permute(table + 8)),
                              _mm256_castsi256_ps(above));
    };
    return words(_mm256_castps_si256(_mm256_blend_ps(choose(low), choose(high), 0xaa)));
  }

 private:
  OPTIKS_INLINE static __m256i vector(Words a) { return reinterpret_cast<__m256i>(a); }
  OPTIKS_INLINE static Words words(__m256i a) { return reinterpret_cast<Words>(a); }
};

}  // namespace optiks::vrf::lanes
