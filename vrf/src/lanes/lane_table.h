// The form of elements of GF(p^2) in tables: as they are in three limbs, and in five limbs packed, with limb i of the
// real part in the lower half of word i and that of the imaginary part in the upper one. Half of the words are then to
// be read, chosen and negated, and to take them apart before a product costs one shift a limb.
#pragma once

#include <type_traits>

#include "lane_products26.h"

namespace optiks::vrf::lanes {

// PackedFp2: halves are limbs of a LaneFp<L, B>, which are below 2^32, so that 64-bit sums and differences are those of
// both halves.
template <FiveLimbs L, unsigned B>
struct PackedFp2 {
  static_assert(B <= Limbs26::kMaxFactor);
  Words<L> pair[5];

  PackedFp2() = default;
  OPTIKS_INLINE PackedFp2(Words<L> p0, Words<L> p1, Words<L> p2, Words<L> p3, Words<L> p4) : pair{p0, p1, p2, p3, p4} {}
  template <unsigned Smaller>
  requires(Smaller < B) OPTIKS_INLINE PackedFp2(const PackedFp2<L, Smaller>& a)  // NOLINT(google-explicit-constructor)
      : PackedFp2(a.pair[0], a.pair[1], a.pair[2], a.pair[3], a.pair[4]) {}
};

template <FiveLimbs L, unsigned B>
OPTIKS_INLINE PackedFp2<L, B> table_form(const LaneFp2<L, B>& a) {
  return {L::pack(a.re.limb[0], a.im.limb[0]), L::pack(a.re.limb[1], a.im.limb[1]), L::pack(a.re.limb[2], a.im.limb[2]),
          L::pack(a.re.limb[3], a.im.limb[3]), L::pack(a.re.limb[4], a.im.limb[4])};
}
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE const LaneFp2<L, B>& table_form(const LaneFp2<L, B>& a) {
  return a;
}

template <FiveLimbs L, unsigned B>
OPTIKS_INLINE PackedFp2<L, B + 1> fp2_neg(const PackedFp2<L, B>& a) {
  using P = LimbsOfP<B + 1>;
  constexpr u64 kBoth = (u64{1} << 32) + 1;
  return {P::kLimb * kBoth - a.pair[0], P::kLimb * kBoth - a.pair[1], P::kLimb * kBoth - a.pair[2],
          P::kLimb * kBoth - a.pair[3], P::kTop * kBoth - a.pair[4]};
}

template <FiveLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE PackedFp2<L, std::max(A, B)> fp2_select(Words<L> mask, const PackedFp2<L, A>& a,
                                                      const PackedFp2<L, B>& b) {
  return {L::select(mask, a.pair[0], b.pair[0]), L::select(mask, a.pair[1], b.pair[1]),
          L::select(mask, a.pair[2], b.pair[2]), L::select(mask, a.pair[3], b.pair[3]),
          L::select(mask, a.pair[4], b.pair[4])};
}

template <FiveLimbs L, unsigned B>
OPTIKS_INLINE LaneFp2<L, B> unpacked(const PackedFp2<L, B>& a) {
  constexpr u64 kLower = (u64{1} << 32) - 1;
  return {{a.pair[0] & kLower, a.pair[1] & kLower, a.pair[2] & kLower, a.pair[3] & kLower, a.pair[4] & kLower},
          {a.pair[0] >> 32, a.pair[1] >> 32, a.pair[2] >> 32, a.pair[3] >> 32, a.pair[4] >> 32}};
}
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE const LaneFp2<L, B>& unpacked(const LaneFp2<L, B>& a) {
  return a;
}
template <unsigned Room = 0, FiveLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE auto fp2_mul_wide(const LaneFp2<L, A>& a, const PackedFp2<L, B>& b) {
  return fp2_mul_wide<Room>(a, unpacked(b));
}

// What find(16 n) finds among entries 16 n to 16 n + 15 by the lower four bits of the index, of NumEntries entries.
template <typename L, std::size_t NumEntries, typename Find>
OPTIKS_INLINE Words<L> lookup_word(Words<L> index, const Find& find) {
  static_assert(NumEntries == 16 || NumEntries == 32);
  if constexpr (NumEntries == 16) {
    return find(0);
  } else {
    return L::select(Words<L>{} - (index >> 4), find(16), find(0));
  }
}

// One coordinate of the entries of a shared table that the lanes ask for: limbs[re, im][limb][entry].
template <ThreeLimbs L, std::size_t NumEntries>
OPTIKS_INLINE LaneFp2<L, 1> lookup(const u64 (&limbs)[2][3][NumEntries], Words<L> index) {
  const auto word = [&](const u64(&table)[NumEntries]) {
    return lookup_word<L, NumEntries>(index, [&](std::size_t first) { return L::lookup16(table + first, index); });
  };
  return {{word(limbs[0][0]), word(limbs[0][1]), word(limbs[0][2])},
          {word(limbs[1][0]), word(limbs[1][1]), word(limbs[1][2])}};
}
template <FiveLimbs L, std::size_t NumEntries>
OPTIKS_INLINE PackedFp2<L, 1> lookup(const std::uint32_t (&limbs)[2][5][NumEntries], Words<L> index) {
  const auto word = [&](std::size_t limb) {
    return lookup_word<L, NumEntries>(
        index, [&](std::size_t first) { return L::lookup16(limbs[0][limb] + first, limbs[1][limb] + first, index); });
  };
  return {word(0), word(1), word(2), word(3), word(4)};
}

// IndexMasks: the three bits of an index as masks.
template <typename L>
struct IndexMasks {
  Words<L> bit[3];
};
template <typename L>
OPTIKS_INLINE IndexMasks<L> index_masks(Words<L> index) {
  return {{Words<L>{} - (index & 1), Words<L>{} - ((index >> 1) & 1), Words<L>{} - ((index >> 2) & 1)}};
}

// One word of the entry of eight that the index names: every entry is read, so that no address depends on the index.
template <typename L, typename Entry>
OPTIKS_INLINE Words<L> select_word(const IndexMasks<L>& index, const Entry& entry) {
  const auto pair = [&](std::size_t i) { return L::select(index.bit[0], entry(i + 1), entry(i)); };
  return L::select(index.bit[2], L::select(index.bit[1], pair(6), pair(4)), L::select(index.bit[1], pair(2), pair(0)));
}

// An element of that entry; element(i) is the element of entry i.
template <typename L, typename Element>
OPTIKS_INLINE auto select_element(const IndexMasks<L>& index, const Element& element) {
  using Out = std::remove_cvref_t<decltype(element(0))>;
  Out out;
  if constexpr (requires { out.pair; }) {
    for (std::size_t i = 0; i < 5; ++i) {
      out.pair[i] = select_word<L>(index, [&](std::size_t j) { return element(j).pair[i]; });
    }
  } else {
    for (std::size_t limb = 0; limb < L::Limbs::kNum; ++limb) {
      out.re.limb[limb] = select_word<L>(index, [&](std::size_t i) { return element(i).re.limb[limb]; });
      out.im.limb[limb] = select_word<L>(index, [&](std::size_t i) { return element(i).im.limb[limb]; });
    }
  }
  return out;
}

}  // namespace optiks::vrf::lanes
