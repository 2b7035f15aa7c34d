// Arithmetic in GF(p) in three limbs (Limbs43 of limbs.h), for lane types that multiply 52 bits by 52 bits and add the
// lower or the upper half of the product.
#pragma once

#include <algorithm>

#include "lane_types.h"
#include "optiks/base/check.h"

namespace optiks::vrf::lanes {

#ifndef NDEBUG
// This function is not inlined, because debug builds would contain it thousands of times. It is a template, so that
// each kernel has its own copy.
template <ThreeLimbs L>
[[gnu::noinline]] void check_limbs(const Words<L> (&limb)[3], u64 bound) {
  for (std::size_t i = 0; i < L::kLanes; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      OPTIKS_DCHECK(limb[j][i] <= bound * Limbs43::kBound[j]);
    }
  }
}

struct ColumnBound {
  u64 t0, t1, t2;
};
template <ThreeLimbs L, typename C>
[[gnu::noinline]] void check_columns(const C& t, const ColumnBound& low, const ColumnBound& high) {
  for (std::size_t i = 0; i < L::kLanes; ++i) {
    OPTIKS_DCHECK(t.t0[i] >= low.t0 && t.t0[i] <= high.t0);
    OPTIKS_DCHECK(t.t1[i] >= low.t1 && t.t1[i] <= high.t1);
    OPTIKS_DCHECK(t.t2[i] >= low.t2 && t.t2[i] <= high.t2);
  }
}
#endif

template <ThreeLimbs L, unsigned B>
struct LaneFp<L, B> {
  static_assert(B >= 1 && B <= Limbs43::kMaxBound);
  Words<L> limb[3];

  LaneFp() = default;
  OPTIKS_INLINE LaneFp(Words<L> l0, Words<L> l1, Words<L> l2) : limb{l0, l1, l2} {
#ifndef NDEBUG
    check_limbs<L>(limb, B);
#endif
  }
  // An implicit conversion: an element with a smaller bound is also an element with a larger bound.
  template <unsigned Smaller>
  requires(Smaller < B) OPTIKS_INLINE LaneFp(const LaneFp<L, Smaller>& a)  // NOLINT(google-explicit-constructor)
      : LaneFp(a.limb[0], a.limb[1], a.limb[2]) {}
};

// Sums of products of limbs before they are carried. The value is t0 + t1 2^43 + t2 2^85.
template <ThreeLimbs L>
struct Columns<L> {
  Words<L> t0, t1, t2;
};

template <ThreeLimbs L>
OPTIKS_INLINE Columns<L> operator+(Columns<L> a, Columns<L> b) {
  return {a.t0 + b.t0, a.t1 + b.t1, a.t2 + b.t2};
}
template <ThreeLimbs L>
OPTIKS_INLINE Columns<L> operator-(Columns<L> a, Columns<L> b) {
  return {a.t0 - b.t0, a.t1 - b.t1, a.t2 - b.t2};
}

// N times 2^12 p, divided into columns that are each slightly less than N 2^54. They are above the columns of any
// product of factors of bounds A and B with A*B = N, because these are below 4*2^52 (docs/vrf-kernels.md).
template <unsigned N>
struct Multiple {
  static_assert(N <= Limbs43::kMaxWide);
  static constexpr u64 kUnit = u64{1} << 54;
  static constexpr u64 kT0 = N * (kUnit - (kUnit >> Limbs43::kBits[2]));
  static constexpr u64 kT1 = N * (kUnit - (kUnit >> Limbs43::kBits[0]));
  static constexpr u64 kT2 = N * (kUnit - (kUnit >> Limbs43::kBits[1]));
};

template <ThreeLimbs L, unsigned N>
OPTIKS_INLINE Columns<L> multiple_of_p() {
  return {broadcast<L>(Multiple<N>::kT0), broadcast<L>(Multiple<N>::kT1), broadcast<L>(Multiple<N>::kT2)};
}

template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE Columns<L> columns_of(const LaneFp<L, B>& x) {
  return {x.limb[0], x.limb[1], x.limb[2]};
}

// An element as columns. Each column is at least the column of Multiple<Room> and at most the column of Multiple<N>, so
// products whose bounds sum to at most Room can be subtracted without adding a multiple of p. Intermediate sums may
// wrap at 2^64, but final sums do not.
template <ThreeLimbs L, unsigned N, unsigned Room>
struct LaneWide<L, N, Room> {
  static_assert(Room <= N && N <= Limbs43::kMaxWide);
  Columns<L> t;

  LaneWide() = default;
  OPTIKS_INLINE explicit LaneWide(Columns<L> columns) : t(columns) {
#ifndef NDEBUG
    check_columns<L>(t, {Multiple<Room>::kT0, Multiple<Room>::kT1, Multiple<Room>::kT2},
                     {Multiple<N>::kT0, Multiple<N>::kT1, Multiple<N>::kT2});
#endif
  }
};

// Converts columns to an element with one carry from each column. All carries are made at the same time, and each is
// below 2^20, the slack of a limb.
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> narrow_inline(const Columns<L>& t) {
  using C = Limbs43;
  return {(t.t0 & C::kMask[0]) + (t.t2 >> C::kBits[2]), (t.t1 & C::kMask[1]) + (t.t0 >> C::kBits[0]),
          (t.t2 & C::kMask[2]) + (t.t1 >> C::kBits[1])};
}
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, 1> fp_carry(const LaneFp<L, B>& a) {
  return narrow_inline<L>(columns_of(a));
}

// Returns the columns of a product from the sums of its lower and upper parts. An upper part counts 2^52 times in its
// column, which is 2^9 or 2^10 times in the next column. After column 2 comes column 0, because 2^127 = 1 modulo p.
template <ThreeLimbs L>
OPTIKS_INLINE Columns<L> join(const Columns<L>& low, const Columns<L>& high) {
  const auto up = [](Words<L> to, Words<L> from, unsigned bits) {
    return L::multiply_add_low(to, from, broadcast<L>(u64{1} << (52 - bits)));
  };
  return {up(low.t0, high.t2, Limbs43::kBits[2]), up(low.t1, high.t0, Limbs43::kBits[0]),
          up(low.t2, high.t1, Limbs43::kBits[1])};
}

// Returns sums + a*b modulo p, with 21 multiply-adds and 2 additions. As 2^127 = 1 modulo p, products of weight 2^128
// count twice in column 0, and products of weight 2^170 count once in column 1 (2^43). Products of weight 2^86 count
// twice in column 2 (2^85).
template <ThreeLimbs L>
OPTIKS_INLINE Columns<L> multiply_inline(const Columns<L>& sums, const Words<L> (&a)[3], const Words<L> (&b)[3]) {
  const Words<L> twice_a1 = a[1] + a[1];
  const Words<L> twice_b1 = b[1] + b[1];
  Columns<L> low = sums;
  Columns<L> high = {};
  const auto add = [](Words<L>& low_sum, Words<L>& high_sum, Words<L> x, Words<L> y) {
    low_sum = L::multiply_add_low(low_sum, x, y);
    high_sum = L::multiply_add_high(high_sum, x, y);
  };
  add(low.t0, high.t0, a[0], b[0]);
  add(low.t1, high.t1, a[0], b[1]);
  add(low.t2, high.t2, a[0], b[2]);
  add(low.t0, high.t0, twice_a1, b[2]);
  add(low.t1, high.t1, a[1], b[0]);
  add(low.t2, high.t2, twice_a1, b[1]);
  add(low.t0, high.t0, a[2], twice_b1);
  add(low.t1, high.t1, a[2], b[2]);
  add(low.t2, high.t2, a[2], b[0]);
  return join<L>(low, high);
}

// Returns a^2, with 15 multiply-adds and 2 additions.
template <ThreeLimbs L>
OPTIKS_INLINE Columns<L> square_inline(const Words<L> (&a)[3]) {
  const Words<L> twice_a1 = a[1] + a[1];
  const Words<L> twice_a2 = a[2] + a[2];
  Columns<L> low = {};
  Columns<L> high = {};
  const auto add = [](Words<L>& low_sum, Words<L>& high_sum, Words<L> x, Words<L> y) {
    low_sum = L::multiply_add_low(low_sum, x, y);
    high_sum = L::multiply_add_high(high_sum, x, y);
  };
  add(low.t0, high.t0, a[0], a[0]);
  add(low.t1, high.t1, a[0], twice_a1);
  add(low.t2, high.t2, a[0], twice_a2);
  add(low.t0, high.t0, twice_a1, twice_a2);
  add(low.t1, high.t1, a[2], a[2]);
  add(low.t2, high.t2, a[1], twice_a1);
  return join<L>(low, high);
}

// For lane types that need many instructions, this function is not inlined, and has one copy for all bounds.
template <ThreeLimbs L>
[[gnu::noinline]] void multiply_call(Columns<L>& sums, const Words<L> (&a)[3], const Words<L> (&b)[3]) {
  sums = multiply_inline<L>(sums, a, b);
}
template <ThreeLimbs L>
[[gnu::noinline]] void square_call(Columns<L>& out, const Words<L> (&a)[3]) {
  out = square_inline<L>(a);
}
template <ThreeLimbs L>
[[gnu::noinline]] void narrow_call(LaneFp<L, 1>& out, const Columns<L>& t) {
  out = narrow_inline<L>(t);
}

template <ThreeLimbs L, unsigned N, unsigned Room>
OPTIKS_INLINE LaneFp<L, 1> fp_narrow(const LaneWide<L, N, Room>& a) {
  if constexpr (L::kInline) {
    return narrow_inline<L>(a.t);
  } else {
    LaneFp<L, 1> out;
    narrow_call<L>(out, a.t);
    return out;
  }
}

template <ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE Columns<L> multiply(Columns<L> sums, const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  static_assert(A * B <= Limbs43::kMaxProduct);
  if constexpr (L::kInline) {
    return multiply_inline<L>(sums, a.limb, b.limb);
  } else {
    multiply_call<L>(sums, a.limb, b.limb);
    return sums;
  }
}

// Returns a*b as columns, with Room for the subtrahends of the product.
template <unsigned Room = 0, ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneWide<L, A * B + Room, Room> fp_mul_wide(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return LaneWide<L, A * B + Room, Room>(multiply(multiple_of_p<L, Room>(), a, b));
}
template <ThreeLimbs L, unsigned A>
OPTIKS_INLINE LaneWide<L, A * A> fp_sqr_wide(const LaneFp<L, A>& a) {
  static_assert(A * A <= Limbs43::kMaxProduct);
  if constexpr (L::kInline) {
    return LaneWide<L, A * A>(square_inline<L>(a.limb));
  } else {
    Columns<L> out;
    square_call<L>(out, a.limb);
    return LaneWide<L, A * A>(out);
  }
}

template <ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, A + B> fp_add(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return {a.limb[0] + b.limb[0], a.limb[1] + b.limb[1], a.limb[2] + b.limb[2]};
}

// Returns Multiples*p, whose limbs are above the limbs of every element of bound Multiples - 1.
template <unsigned Multiples>
struct MultipleOfP {
  static constexpr u64 kLimb0 = Multiples * Limbs43::kMask[0];
  static constexpr u64 kLimb1 = Multiples * Limbs43::kMask[1];
  static constexpr u64 kLimb2 = Multiples * Limbs43::kMask[2];
  static_assert(kLimb0 >= (Multiples - 1) * Limbs43::kBound[0] && kLimb1 >= (Multiples - 1) * Limbs43::kBound[1] &&
                kLimb2 >= (Multiples - 1) * Limbs43::kBound[2]);
};

template <ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, A + B + 1> fp_sub(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  using P = MultipleOfP<B + 1>;
  return {a.limb[0] + P::kLimb0 - b.limb[0], a.limb[1] + P::kLimb1 - b.limb[1], a.limb[2] + P::kLimb2 - b.limb[2]};
}

template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, B + 1> fp_neg(const LaneFp<L, B>& a) {
  using P = MultipleOfP<B + 1>;
  return {P::kLimb0 - a.limb[0], P::kLimb1 - a.limb[1], P::kLimb2 - a.limb[2]};
}

// Returns -a in the lanes where `mask` is all ones, and `a` where it is zero.
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, B + 1> fp_negated_if(Words<L> mask, const LaneFp<L, B>& a) {
  using P = MultipleOfP<B + 1>;
  return {L::subtract_if(mask, broadcast<L>(P::kLimb0), a.limb[0]),
          L::subtract_if(mask, broadcast<L>(P::kLimb1), a.limb[1]),
          L::subtract_if(mask, broadcast<L>(P::kLimb2), a.limb[2])};
}

template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, B> fp_of_limbs(const Words<L> (&limb)[3]) {
  return {limb[0], limb[1], limb[2]};
}
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_broadcast(Fp a) {
  const auto limbs = Limbs43::cut(a);
  return {broadcast<L>(limbs[0]), broadcast<L>(limbs[1]), broadcast<L>(limbs[2])};
}

template <ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, std::max(A, B)> fp_select(Words<L> mask, const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return {L::select(mask, a.limb[0], b.limb[0]), L::select(mask, a.limb[1], b.limb[1]),
          L::select(mask, a.limb[2], b.limb[2])};
}
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE Canonical<L> fp_canonical(const LaneFp<L, B>& a) {
  using C = Limbs43;
  // The code carries from limb to limb in two rounds. After the second round, no limb exceeds its width. The reason is
  // that before the second round the value is below 2^127 + 2^20. So this round carries at most a 1 from the top limb
  // into the lowest limb, and then the lowest limb is so small that the addition does not overflow it.
  Words<L> l0 = a.limb[0];
  Words<L> l1 = a.limb[1];
  Words<L> l2 = a.limb[2];
  for (int round = 0; round < 2; ++round) {
    l1 += l0 >> C::kBits[0];
    l2 += l1 >> C::kBits[1];
    l0 = (l0 & C::kMask[0]) + (l2 >> C::kBits[2]);
    l1 &= C::kMask[1];
    l2 &= C::kMask[2];
  }
  // Adding 1 carries through all limbs only if the value is p, which becomes 0.
  const Words<L> carry = (l2 + ((l1 + ((l0 + 1) >> C::kBits[0])) >> C::kBits[1])) >> C::kBits[2];
  const Words<L> keep = carry - 1;
  l0 &= keep;
  l1 &= keep;
  l2 &= keep;
  return {l0 | (l1 << C::kPosition[1]), (l1 >> (64 - C::kPosition[1])) | (l2 << (C::kPosition[2] - 64))};
}

// fp_to_words() packs the three limbs of an element into two 64-bit words, and fp_from_words() unpacks them. In the
// words, the limbs have 43, 42 and 43 bits: the top limb keeps one bit more than its width of 42 bits.
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE TwoWords<L> fp_to_words(const LaneFp<L, B>& a) {
  using C = Limbs43;
  const LaneFp<L, 1> carried = B == 1 ? LaneFp<L, 1>(a.limb[0], a.limb[1], a.limb[2]) : fp_carry(a);
  const Words<L> l1 = carried.limb[1] + (carried.limb[0] >> C::kBits[0]);
  const Words<L> l2 = carried.limb[2] + (l1 >> C::kBits[1]);
  const Words<L> low = carried.limb[0] & C::kMask[0];
  const Words<L> middle = l1 & C::kMask[1];
  return {low | (middle << C::kPosition[1]), (middle >> (64 - C::kPosition[1])) | (l2 << (C::kPosition[2] - 64))};
}

template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 2> fp_from_words(const TwoWords<L>& a) {
  using C = Limbs43;
  return {a.low & C::kMask[0], ((a.low >> C::kPosition[1]) | (a.high << (64 - C::kPosition[1]))) & C::kMask[1],
          a.high >> (C::kPosition[2] - 64)};
}

// Returns the element whose two words in each lane are `low` and `high`. Its value is in [0, p].
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_from_words(Words<L> low, Words<L> high) {
  const LaneFp<L, 2> limbs = fp_from_words(TwoWords<L>{low, high});
  return {limbs.limb[0], limbs.limb[1], limbs.limb[2]};
}

// Returns a/2. Adding p makes an odd value even.
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_half(const LaneFp<L, 1>& a) {
  using C = Limbs43;
  // Every limb passes its lowest bit to the limb below. The lowest bit of the lowest limb becomes 2^126, the top bit of
  // the top limb.
  return {(a.limb[0] >> 1) + ((a.limb[1] & 1) << (C::kBits[0] - 1)),
          (a.limb[1] >> 1) + ((a.limb[2] & 1) << (C::kBits[1] - 1)),
          (a.limb[2] >> 1) + ((a.limb[0] & 1) << (C::kBits[2] - 1))};
}

}  // namespace optiks::vrf::lanes
