// The form of elements of GF(p^2) in tables. It has fewer words than an element, because the code has to read and
// select each word; kernels whose elements have five limbs also negate each word. Reading a word takes more time than
// computing with it: packing six limbs into four words makes a selection of one of eight entries a quarter faster.
#pragma once

#include <type_traits>

#include "lane_products26.h"

namespace optiks::vrf::lanes {

// In three limbs, the form has two words for the real part and two for the imaginary part. In five limbs, the lower
// half of word i is limb i of the real part, and the upper half is limb i of the imaginary part. The halves are limbs
// of a LaneFp<L, B>, which are below 2^32. So 64-bit sums and differences add and subtract both halves at the same
// time.
template <typename L, unsigned B>
struct PackedFp2 {
  static_assert(B <= Limbs26::kMaxFactor);
  static constexpr std::size_t kNumWords = L::Limbs::kNum == 3 ? 4 : 5;
  Words<L> word[kNumWords];

  PackedFp2() = default;
  template <typename... Word>
  requires(sizeof...(Word) == kNumWords) OPTIKS_INLINE explicit PackedFp2(const Word&... words) : word{words...} {}
  template <unsigned Smaller>
  requires(Smaller < B) OPTIKS_INLINE
      PackedFp2(const PackedFp2<L, Smaller>& a) {  // NOLINT(google-explicit-constructor)
    __builtin_memcpy(word, a.word, sizeof(word));
  }
};

template <FiveLimbs L, unsigned B>
OPTIKS_INLINE PackedFp2<L, B> table_form(const LaneFp2<L, B>& a) {
  return PackedFp2<L, B>(L::pack(a.re.limb[0], a.im.limb[0]), L::pack(a.re.limb[1], a.im.limb[1]),
                         L::pack(a.re.limb[2], a.im.limb[2]), L::pack(a.re.limb[3], a.im.limb[3]),
                         L::pack(a.re.limb[4], a.im.limb[4]));
}
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE PackedFp2<L, 1> table_form(const LaneFp2<L, B>& a) {
  const TwoWords<L> re = fp_to_words(a.re);
  const TwoWords<L> im = fp_to_words(a.im);
  return PackedFp2<L, 1>(re.low, re.high, im.low, im.high);
}

template <FiveLimbs L, unsigned B>
OPTIKS_INLINE PackedFp2<L, B + 1> fp2_neg(const PackedFp2<L, B>& a) {
  using P = LimbsOfP<B + 1>;
  constexpr u64 kBoth = (u64{1} << 32) + 1;
  return PackedFp2<L, B + 1>(P::kLimb * kBoth - a.word[0], P::kLimb * kBoth - a.word[1], P::kLimb * kBoth - a.word[2],
                             P::kLimb * kBoth - a.word[3], P::kTop * kBoth - a.word[4]);
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE PackedFp2<L, std::max(A, B)> fp2_select(Words<L> mask, const PackedFp2<L, A>& a,
                                                      const PackedFp2<L, B>& b) {
  PackedFp2<L, std::max(A, B)> out;
  for (std::size_t i = 0; i < out.kNumWords; ++i) {
    out.word[i] = L::select(mask, a.word[i], b.word[i]);
  }
  return out;
}

template <FiveLimbs L, unsigned B>
OPTIKS_INLINE LaneFp2<L, B> unpacked(const PackedFp2<L, B>& a) {
  constexpr u64 kLower = (u64{1} << 32) - 1;
  return {{a.word[0] & kLower, a.word[1] & kLower, a.word[2] & kLower, a.word[3] & kLower, a.word[4] & kLower},
          {a.word[0] >> 32, a.word[1] >> 32, a.word[2] >> 32, a.word[3] >> 32, a.word[4] >> 32}};
}
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE LaneFp2<L, 2> unpacked(const PackedFp2<L, B>& a) {
  return {fp_from_words(TwoWords<L>{a.word[0], a.word[1]}), fp_from_words(TwoWords<L>{a.word[2], a.word[3]})};
}
template <unsigned Room = 0, typename L, unsigned A, unsigned B>
OPTIKS_INLINE auto fp2_mul_wide(const LaneFp2<L, A>& a, const PackedFp2<L, B>& b) {
  return fp2_mul_wide<Room>(a, unpacked(b));
}

// Returns -a in the lanes where `mask` is all ones, and `a` where it is zero.
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE LaneFp2<L, 3> fp2_negated_if(Words<L> mask, const PackedFp2<L, B>& a) {
  return fp2_negated_if(mask, unpacked(a));
}
template <FiveLimbs L, unsigned B>
OPTIKS_INLINE PackedFp2<L, B + 1> fp2_negated_if(Words<L> mask, const PackedFp2<L, B>& a) {
  return fp2_select(mask, fp2_neg(a), a);
}

// Returns one word of the entry at `index`, for a table of NumEntries entries. The lower four bits of the index select
// one of the entries 16 n to 16 n + 15; find(16 n) must return the word of this entry.
template <typename L, std::size_t NumEntries, typename Find>
OPTIKS_INLINE Words<L> lookup_word(Words<L> index, const Find& find) {
  static_assert(NumEntries == 16 || NumEntries == 32);
  if constexpr (NumEntries == 16) {
    return find(0);
  } else {
    return L::select(Words<L>{} - (index >> 4), find(16), find(0));
  }
}

// Returns one coordinate of the entry that each lane selects from a shared table. The layout of the table is words[re,
// im][word][entry].
template <ThreeLimbs L, std::size_t NumEntries>
OPTIKS_INLINE PackedFp2<L, 1> lookup(const u64 (&words)[2][2][NumEntries], Words<L> index) {
  const auto word = [&](const u64(&table)[NumEntries]) {
    return lookup_word<L, NumEntries>(index, [&](std::size_t first) { return L::lookup16(table + first, index); });
  };
  return PackedFp2<L, 1>(word(words[0][0]), word(words[0][1]), word(words[1][0]), word(words[1][1]));
}
template <FiveLimbs L, std::size_t NumEntries>
OPTIKS_INLINE PackedFp2<L, 1> lookup(const std::uint32_t (&words)[2][5][NumEntries], Words<L> index) {
  const auto word = [&](std::size_t i) {
    return lookup_word<L, NumEntries>(
        index, [&](std::size_t first) { return L::lookup16(words[0][i] + first, words[1][i] + first, index); });
  };
  return PackedFp2<L, 1>(word(0), word(1), word(2), word(3), word(4));
}

// The three bits of an index as masks.
template <typename L>
struct IndexMasks {
  Words<L> bit[3];
};

// Returns one word of the entry, of eight, that the index selects. The function reads every entry, so that no address
// depends on the index.
template <typename L, typename Entry>
OPTIKS_INLINE Words<L> select_word(const IndexMasks<L>& index, const Entry& entry) {
  const auto pair = [&](std::size_t i) { return L::select(index.bit[0], entry(i + 1), entry(i)); };
  return L::select(index.bit[2], L::select(index.bit[1], pair(6), pair(4)), L::select(index.bit[1], pair(2), pair(0)));
}

// Returns one element of the selected entry. element(i) returns this element of entry i.
template <typename L, typename Element>
OPTIKS_INLINE auto select_element(const IndexMasks<L>& index, const Element& element) {
  std::remove_cvref_t<decltype(element(0))> out;
  for (std::size_t i = 0; i < out.kNumWords; ++i) {
    out.word[i] = select_word<L>(index, [&](std::size_t j) { return element(j).word[i]; });
  }
  return out;
}

}  // namespace optiks::vrf::lanes
