// Arithmetic in GF(p) in five limbs (Limbs26 of limbs.h), for lane types that multiply 32 bits by 32 bits. L::multiply
// reads only the lower half of each word, so the upper half of a factor may contain anything.
#pragma once

#include <algorithm>

#include "lane_types.h"
#include "optiks/base/check.h"

namespace optiks::vrf::lanes {

#ifndef NDEBUG
// This function is not inlined, because debug builds would contain it thousands of times. It is a template, so that
// each kernel has its own copy.
template <FiveLimbs L>
[[gnu::noinline]] void check_words(const Words<L> (&words)[5], u64 low, u64 top_low, u64 high, u64 top_high) {
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      OPTIKS_DCHECK(words[i][lane] >= (i == 4 ? top_low : low));
      OPTIKS_DCHECK(words[i][lane] <= (i == 4 ? top_high : high));
    }
  }
}
#endif

template <FiveLimbs L, unsigned B>
struct LaneFp<L, B> {
  static_assert(B >= 1 && B <= 2 * Limbs26::kMaxFactor);
  Words<L> limb[5];

  LaneFp() = default;
  OPTIKS_INLINE LaneFp(Words<L> l0, Words<L> l1, Words<L> l2, Words<L> l3, Words<L> l4) : limb{l0, l1, l2, l3, l4} {
#ifndef NDEBUG
    check_words<L>(limb, 0, 0, B * Limbs26::kLimbBound, B * Limbs26::kTopBound);
#endif
  }
  // An implicit conversion: an element with a smaller bound is also an element with a larger bound.
  template <unsigned Smaller>
  requires(Smaller < B) OPTIKS_INLINE LaneFp(const LaneFp<L, Smaller>& a)  // NOLINT(google-explicit-constructor)
      : LaneFp(a.limb[0], a.limb[1], a.limb[2], a.limb[3], a.limb[4]) {}
};

// Sums of products of limbs before they are carried. The value is t0 + t1 2^26 + t2 2^52 + t3 2^78 + t4 2^104.
template <FiveLimbs L>
struct Columns<L> {
  Words<L> t0, t1, t2, t3, t4;
};

template <FiveLimbs L>
OPTIKS_INLINE Columns<L> operator+(Columns<L> a, Columns<L> b) {
  return {a.t0 + b.t0, a.t1 + b.t1, a.t2 + b.t2, a.t3 + b.t3, a.t4 + b.t4};
}
template <FiveLimbs L>
OPTIKS_INLINE Columns<L> operator-(Columns<L> a, Columns<L> b) {
  return {a.t0 - b.t0, a.t1 - b.t1, a.t2 - b.t2, a.t3 - b.t3, a.t4 - b.t4};
}
template <FiveLimbs L, unsigned B>
OPTIKS_INLINE Columns<L> columns_of(const LaneFp<L, B>& x) {
  return {x.limb[0], x.limb[1], x.limb[2], x.limb[3], x.limb[4]};
}

// N times 2^31 p is a multiple of p whose columns are above the columns of any product of factors of bounds A and B
// with A*B = N. The product's columns t0 to t4 are below 20N*2^52, 13N*2^52, 6N*2^52, 5N*2^52 and 4N*2^52 - 2^31 N
// (docs/vrf-kernels.md).
inline constexpr u64 kWideMultiple = Limbs26::kLimbMask << 31;
inline constexpr u64 kWideTopMultiple = Limbs26::kTopMask << 31;
template <FiveLimbs L, unsigned N>
OPTIKS_INLINE Columns<L> multiple_of_p() {
  static_assert(N <= Limbs26::kMaxWide);
  const Words<L> limb = broadcast<L>(N * kWideMultiple);
  return {limb, limb, limb, limb, broadcast<L>(N * kWideTopMultiple)};
}

template <FiveLimbs L, unsigned N, unsigned Room>
struct LaneWide<L, N, Room> {
  static_assert(Room <= N && N <= Limbs26::kMaxWide);
  Columns<L> t;

  LaneWide() = default;
  OPTIKS_INLINE explicit LaneWide(Columns<L> columns) : t(columns) { check(); }
  OPTIKS_INLINE void check() const {
#ifndef NDEBUG
    const Words<L> words[5] = {t.t0, t.t1, t.t2, t.t3, t.t4};
    check_words<L>(words, Room * kWideMultiple, Room * kWideTopMultiple, N * kWideMultiple, N * kWideTopMultiple);
#endif
  }
};

template <FiveLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, B> fp_of_limbs(const Words<L> (&limb)[5]) {
  return {limb[0], limb[1], limb[2], limb[3], limb[4]};
}
template <FiveLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_broadcast(Fp a) {
  const auto limbs = Limbs26::cut(a);
  return {broadcast<L>(limbs[0]), broadcast<L>(limbs[1]), broadcast<L>(limbs[2]), broadcast<L>(limbs[3]),
          broadcast<L>(limbs[4])};
}

template <FiveLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, A + B> fp_add(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return {a.limb[0] + b.limb[0], a.limb[1] + b.limb[1], a.limb[2] + b.limb[2], a.limb[3] + b.limb[3],
          a.limb[4] + b.limb[4]};
}

// Returns Multiples*p, whose limbs are above the limbs of every element of bound Multiples - 1.
template <unsigned Multiples>
struct LimbsOfP {
  static constexpr u64 kLimb = Multiples * Limbs26::kLimbMask;
  static constexpr u64 kTop = Multiples * Limbs26::kTopMask;
  static_assert(kLimb >= (Multiples - 1) * Limbs26::kLimbBound && kTop >= (Multiples - 1) * Limbs26::kTopBound);
};

template <FiveLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, A + B + 1> fp_sub(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  using P = LimbsOfP<B + 1>;
  return {a.limb[0] + P::kLimb - b.limb[0], a.limb[1] + P::kLimb - b.limb[1], a.limb[2] + P::kLimb - b.limb[2],
          a.limb[3] + P::kLimb - b.limb[3], a.limb[4] + P::kTop - b.limb[4]};
}
template <FiveLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, B + 1> fp_neg(const LaneFp<L, B>& a) {
  using P = LimbsOfP<B + 1>;
  return {P::kLimb - a.limb[0], P::kLimb - a.limb[1], P::kLimb - a.limb[2], P::kLimb - a.limb[3], P::kTop - a.limb[4]};
}

template <FiveLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, std::max(A, B)> fp_select(Words<L> mask, const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return {L::select(mask, a.limb[0], b.limb[0]), L::select(mask, a.limb[1], b.limb[1]),
          L::select(mask, a.limb[2], b.limb[2]), L::select(mask, a.limb[3], b.limb[3]),
          L::select(mask, a.limb[4], b.limb[4])};
}
// Returns -a in the lanes where `mask` is all ones, and `a` where it is zero.
template <FiveLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, B + 1> fp_negated_if(Words<L> mask, const LaneFp<L, B>& a) {
  return fp_select(mask, fp_neg(a), a);
}

// Converts limbs to an element of bound 1, with one carry from each limb. All carries are made at the same time, and
// each is below 2^12.
template <FiveLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, 1> fp_carry(const LaneFp<L, B>& a) {
  using C = Limbs26;
  const auto& l = a.limb;
  return {(l[0] & C::kLimbMask) + (l[4] >> C::kTopBits), (l[1] & C::kLimbMask) + (l[0] >> C::kLimbBits),
          (l[2] & C::kLimbMask) + (l[1] >> C::kLimbBits), (l[3] & C::kLimbMask) + (l[2] >> C::kLimbBits),
          (l[4] & C::kTopMask) + (l[3] >> C::kLimbBits)};
}

// Converts columns to an element, one carry after another, with 18 operations. The carry from the top column is below
// 2^41. So the carry from limb 0 that follows is below 2^16, the slack of limb 1.
template <FiveLimbs L>
OPTIKS_INLINE LaneFp<L, 1> narrow_inline(const Columns<L>& t) {
  using C = Limbs26;
  const Words<L> t1 = t.t1 + (t.t0 >> C::kLimbBits);
  const Words<L> t2 = t.t2 + (t1 >> C::kLimbBits);
  const Words<L> t3 = t.t3 + (t2 >> C::kLimbBits);
  const Words<L> t4 = t.t4 + (t3 >> C::kLimbBits);
  const Words<L> t0 = (t.t0 & C::kLimbMask) + (t4 >> C::kTopBits);
  return {t0 & C::kLimbMask, (t1 & C::kLimbMask) + (t0 >> C::kLimbBits), t2 & C::kLimbMask, t3 & C::kLimbMask,
          t4 & C::kTopMask};
}

// Returns sums + a*b, with 25 multiplications, 20 additions (25 if sums is not zero), and 4 operations that multiply
// the limbs of `a` that wrap by 8.
template <FiveLimbs L>
OPTIKS_INLINE Columns<L> multiply_inline(const Columns<L>& sums, const Words<L> (&a)[5], const Words<L> (&b)[5]) {
  const auto m = [](Words<L> x, Words<L> y) { return L::multiply(x, y); };
  const Words<L> w1 = a[1] << Limbs26::kWrapShift;
  const Words<L> w2 = a[2] << Limbs26::kWrapShift;
  const Words<L> w3 = a[3] << Limbs26::kWrapShift;
  const Words<L> w4 = a[4] << Limbs26::kWrapShift;
  Words<L> t0 = sums.t0;
  Words<L> t1 = sums.t1;
  Words<L> t2 = sums.t2;
  Words<L> t3 = sums.t3;
  Words<L> t4 = sums.t4;
  t0 += m(b[0], a[0]);
  t1 += m(b[0], a[1]);
  t2 += m(b[0], a[2]);
  t3 += m(b[0], a[3]);
  t4 += m(b[0], a[4]);
  t0 += m(b[1], w4);
  t1 += m(b[1], a[0]);
  t2 += m(b[1], a[1]);
  t3 += m(b[1], a[2]);
  t4 += m(b[1], a[3]);
  t0 += m(b[2], w3);
  t1 += m(b[2], w4);
  t2 += m(b[2], a[0]);
  t3 += m(b[2], a[1]);
  t4 += m(b[2], a[2]);
  t0 += m(b[3], w2);
  t1 += m(b[3], w3);
  t2 += m(b[3], w4);
  t3 += m(b[3], a[0]);
  t4 += m(b[3], a[1]);
  t0 += m(b[4], w1);
  t1 += m(b[4], w2);
  t2 += m(b[4], w3);
  t3 += m(b[4], w4);
  t4 += m(b[4], a[0]);
  return {t0, t1, t2, t3, t4};
}

// Returns a^2, with 15 multiplications, 10 additions and 6 operations that prepare the factors.
template <FiveLimbs L>
OPTIKS_INLINE Columns<L> square_inline(const Words<L> (&a)[5]) {
  const auto m = [](Words<L> x, Words<L> y) { return L::multiply(x, y); };
  const Words<L> d0 = a[0] + a[0];
  const Words<L> d1 = a[1] + a[1];
  const Words<L> d2 = a[2] + a[2];
  const Words<L> d3 = a[3] + a[3];
  const Words<L> w3 = a[3] << Limbs26::kWrapShift;
  const Words<L> w4 = a[4] << Limbs26::kWrapShift;
  return {m(a[0], a[0]) + m(d1, w4) + m(d2, w3), m(d0, a[1]) + m(d2, w4) + m(a[3], w3),
          m(d0, a[2]) + m(a[1], a[1]) + m(d3, w4), m(d0, a[3]) + m(d1, a[2]) + m(a[4], w4),
          m(d0, a[4]) + m(d1, a[3]) + m(a[2], a[2])};
}

template <FiveLimbs L, unsigned N, unsigned Room>
OPTIKS_INLINE LaneFp<L, 1> fp_narrow(const LaneWide<L, N, Room>& a) {
  return narrow_inline<L>(a.t);
}

template <FiveLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE Columns<L> multiply(const Columns<L>& sums, const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  static_assert(A <= Limbs26::kMaxWrapped && B <= Limbs26::kMaxFactor);
  return multiply_inline<L>(sums, a.limb, b.limb);
}

// Returns a*b as columns, with Room for the subtrahends of the product.
template <unsigned Room = 0, FiveLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneWide<L, A * B + Room, Room> fp_mul_wide(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  if constexpr (A <= Limbs26::kMaxWrapped) {
    return LaneWide<L, A * B + Room, Room>(multiply(multiple_of_p<L, Room>(), a, b));
  } else {
    return fp_mul_wide<Room>(b, a);
  }
}
template <FiveLimbs L, unsigned A>
OPTIKS_INLINE LaneWide<L, A * A> fp_sqr_wide(const LaneFp<L, A>& a) {
  static_assert(A <= Limbs26::kMaxWrapped);
  return LaneWide<L, A * A>(square_inline<L>(a.limb));
}

template <FiveLimbs L, unsigned B>
OPTIKS_INLINE Canonical<L> fp_canonical(const LaneFp<L, B>& a) {
  using C = Limbs26;
  // The code carries from limb to limb in two rounds. After the second round, no limb exceeds its width. The reason is
  // that before the second round the value is below 2^127 + 2^32. So this round carries at most a 1 from the top limb
  // into the lowest limb, and then the lowest limb is so small that the addition does not overflow it.
  Words<L> l[5] = {a.limb[0], a.limb[1], a.limb[2], a.limb[3], a.limb[4]};
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 4; ++i) {
      l[i + 1] += l[i] >> C::kLimbBits;
      l[i] &= C::kLimbMask;
    }
    l[0] += l[4] >> C::kTopBits;
    l[4] &= C::kTopMask;
  }
  // Adding 1 carries through all limbs only if the value is p, which becomes 0.
  Words<L> carry = (l[0] + 1) >> C::kLimbBits;
  for (std::size_t i = 1; i < 4; ++i) {
    carry = (l[i] + carry) >> C::kLimbBits;
  }
  const Words<L> keep = ((l[4] + carry) >> C::kTopBits) - 1;
  return {(l[0] | (l[1] << 26) | (l[2] << 52)) & keep, ((l[2] >> 12) | (l[3] << 14) | (l[4] << 40)) & keep};
}

// Returns the element with the given two words in each lane. Its value is in [0, p].
template <FiveLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_from_words(Words<L> low, Words<L> high) {
  constexpr u64 kMask = Limbs26::kLimbMask;
  return {low & kMask, (low >> 26) & kMask, ((low >> 52) | (high << 12)) & kMask, (high >> 14) & kMask, high >> 40};
}

// Returns a/2. Adding p makes an odd value even.
template <FiveLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_half(const LaneFp<L, 1>& a) {
  using C = Limbs26;
  // Every limb passes its lowest bit to the limb below. The lowest bit of the lowest limb becomes 2^126, the top bit of
  // the top limb.
  const auto& l = a.limb;
  const auto half = [&l](std::size_t i) { return (l[i] >> 1) + ((l[i + 1] & 1) << (C::kLimbBits - 1)); };
  return {half(0), half(1), half(2), half(3), (l[4] >> 1) + ((l[0] & 1) << (C::kTopBits - 1))};
}

}  // namespace optiks::vrf::lanes
