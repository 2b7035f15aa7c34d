// GF(p) in three limbs (limbs.h Limbs44), for lane types that multiply 52 bits and add half of the product.
#pragma once

#include <algorithm>

#include "lane_types.h"
#include "optiks/base/check.h"

namespace optiks::vrf::lanes {

#ifndef NDEBUG
// Out of line, or debug builds would hold it thousands of times; a template, so that each kernel has its own.
template <ThreeLimbs L>
[[gnu::noinline]] void check_limbs(const Words<L> (&limb)[3], u64 bound) {
  for (std::size_t i = 0; i < L::kLanes; ++i) {
    OPTIKS_DCHECK(limb[0][i] <= bound * Limbs44::kLimbBound && limb[1][i] <= bound * Limbs44::kLimbBound);
    OPTIKS_DCHECK(limb[2][i] <= bound * Limbs44::kTopBound);
    OPTIKS_DCHECK(((limb[0][i] | limb[1][i] | limb[2][i]) & ((u64{1} << Limbs44::kScale) - 1)) == 0);
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
  static_assert(B >= 1 && B <= 2 * Limbs44::kMaxFactor);
  Words<L> limb[3];

  LaneFp() = default;
  OPTIKS_INLINE LaneFp(Words<L> l0, Words<L> l1, Words<L> l2) : limb{l0, l1, l2} {
#ifndef NDEBUG
    check_limbs<L>(limb, B);
#endif
  }
  // A smaller bound is a larger one.
  template <unsigned Smaller>
  requires(Smaller < B) OPTIKS_INLINE LaneFp(const LaneFp<L, Smaller>& a)  // NOLINT(google-explicit-constructor)
      : LaneFp(a.limb[0], a.limb[1], a.limb[2]) {}
};

// Columns<L>: sums of products of limbs before they are carried, 2^8 times what they stand for as the products are:
// value = (t0 + t1 2^44 + t2 2^88)/2^8.
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

// Multiple<N>: N times 224p, cut so that each of its columns is above the columns of any product of factors of bounds
// A and B with A*B = N: these are below 38N*2^52, 7N*2^52 and 6N*2^52 (docs/vrf-kernels.md).
template <unsigned N>
struct Multiple {
  static_assert(N <= Limbs44::kMaxWide);
  static constexpr u64 kT0 = N * ((u64{40} << 52) - (u64{224} << (2 * Limbs44::kScale)));
  static constexpr u64 kT1 = N * ((u64{7} << 52) - (u64{40} << (2 * Limbs44::kScale)));
  static constexpr u64 kT2 = N * ((u64{7} << 52) - (u64{7} << (2 * Limbs44::kScale)));
};

template <ThreeLimbs L, unsigned N>
OPTIKS_INLINE Columns<L> multiple_of_p() {
  return {broadcast<L>(Multiple<N>::kT0), broadcast<L>(Multiple<N>::kT1), broadcast<L>(Multiple<N>::kT2)};
}

template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE Columns<L> columns_of(const LaneFp<L, B>& x) {
  return {x.limb[0] << Limbs44::kScale, x.limb[1] << Limbs44::kScale, x.limb[2] << Limbs44::kScale};
}

// LaneWide: an element as columns, each at least that of Multiple<Room> and at most that of Multiple<N>: up to Room may
// be taken off for nothing. What passes 2^64 on the way comes back.
template <ThreeLimbs L, unsigned N, unsigned Room>
struct LaneWide<L, N, Room> {
  static_assert(Room <= N && N <= Limbs44::kMaxWide);
  Columns<L> t;

  LaneWide() = default;
  OPTIKS_INLINE explicit LaneWide(Columns<L> columns) : t(columns) {
#ifndef NDEBUG
    check_columns<L>(t, {Multiple<Room>::kT0, Multiple<Room>::kT1, Multiple<Room>::kT2},
                     {Multiple<N>::kT0, Multiple<N>::kT1, Multiple<N>::kT2});
#endif
  }
};

// Limbs to an element by one carry from each, all at once: enough where what leaves each of them is below 2^20.
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> carry_limbs(Words<L> l0, Words<L> l1, Words<L> l2) {
  constexpr u64 kClear = ~((u64{1} << Limbs44::kScale) - 1);
  return {(l0 & (Limbs44::kLimbMask << Limbs44::kScale)) + ((l2 >> Limbs44::kTopBits) & kClear),
          (l1 & (Limbs44::kLimbMask << Limbs44::kScale)) + ((l0 >> Limbs44::kLimbBits) & kClear),
          (l2 & (Limbs44::kTopMask << Limbs44::kScale)) + ((l1 >> Limbs44::kLimbBits) & kClear)};
}
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, 1> fp_carry(const LaneFp<L, B>& a) {
  return carry_limbs<L>(a.limb[0], a.limb[1], a.limb[2]);
}

// Columns<L> to an element. Here as well one carry from each is enough: what leaves a column is below 2^12, and below
// 2^17 from the top one. The multiplier keeps the 44 bits that stay and moves them down by 4 in one instruction: (t mod
// 2^52) 2^48 / 2^52. The top column keeps 39, so it goes up by 5 before.
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> narrow_inline(const Columns<L>& t) {
  constexpr u64 kClear = ~((u64{1} << Limbs44::kScale) - 1);
  constexpr u64 kDown = u64{1} << (52 - Limbs44::kScale);
  return {L::multiply_add_high((t.t2 >> (Limbs44::kTopBits + Limbs44::kScale)) & kClear, t.t0, broadcast<L>(kDown)),
          L::multiply_add_high((t.t0 >> (Limbs44::kLimbBits + Limbs44::kScale)) & kClear, t.t1, broadcast<L>(kDown)),
          L::multiply_add_high((t.t1 >> (Limbs44::kLimbBits + Limbs44::kScale)) & kClear, t.t2 << Limbs44::kWrapShift,
                               broadcast<L>(kDown >> Limbs44::kWrapShift))};
}

// sums + a*b: 18 multiply-adds, 2 operations for the limbs that wrap and 6 that put the columns together. low0, low1,
// low2 and high0, high1, high2 sum the lower and upper parts; high0 belongs to column 1, high1 to column 2, and high2
// to column 3, that is 32 times column 0.
template <ThreeLimbs L>
OPTIKS_INLINE Columns<L> multiply_inline(const Columns<L>& sums, const Words<L> (&a)[3], const Words<L> (&b)[3]) {
  const Words<L> a2_wrapped = a[2] << Limbs44::kWrapShift;
  const Words<L> b2_wrapped = b[2] << Limbs44::kWrapShift;
  Words<L> low0 = sums.t0;
  Words<L> low1 = sums.t1;
  Words<L> low2 = sums.t2;
  Words<L> high0{};
  Words<L> high1{};
  Words<L> high2{};
  low0 = L::multiply_add_low(low0, a[0], b[0]);
  high0 = L::multiply_add_high(high0, a[0], b[0]);
  low1 = L::multiply_add_low(low1, a[0], b[1]);
  high1 = L::multiply_add_high(high1, a[0], b[1]);
  low2 = L::multiply_add_low(low2, a[0], b[2]);
  high2 = L::multiply_add_high(high2, a[0], b[2]);
  low0 = L::multiply_add_low(low0, a[1], b2_wrapped);
  high0 = L::multiply_add_high(high0, a[1], b2_wrapped);
  low1 = L::multiply_add_low(low1, a[1], b[0]);
  high1 = L::multiply_add_high(high1, a[1], b[0]);
  low2 = L::multiply_add_low(low2, a[1], b[1]);
  high2 = L::multiply_add_high(high2, a[1], b[1]);
  low0 = L::multiply_add_low(low0, a2_wrapped, b[1]);
  high0 = L::multiply_add_high(high0, a2_wrapped, b[1]);
  low1 = L::multiply_add_low(low1, a[2], b2_wrapped);
  high1 = L::multiply_add_high(high1, a[2], b2_wrapped);
  low2 = L::multiply_add_low(low2, a[2], b[0]);
  high2 = L::multiply_add_high(high2, a[2], b[0]);
  return {low0 + (high2 << (Limbs44::kWrapShift + 2 * Limbs44::kScale)), low1 + (high0 << (2 * Limbs44::kScale)),
          low2 + (high1 << (2 * Limbs44::kScale))};
}

// a^2: 12 multiply-adds, 3 operations to prepare and 6 to put the columns together.
template <ThreeLimbs L>
OPTIKS_INLINE Columns<L> square_inline(const Words<L> (&a)[3]) {
  const Words<L> twice_a0 = a[0] + a[0];
  const Words<L> twice_a1 = a[1] + a[1];
  const Words<L> a2_wrapped = a[2] << Limbs44::kWrapShift;
  Words<L> low0{};
  Words<L> low1{};
  Words<L> low2{};
  Words<L> high0{};
  Words<L> high1{};
  Words<L> high2{};
  low0 = L::multiply_add_low(low0, a[0], a[0]);
  high0 = L::multiply_add_high(high0, a[0], a[0]);
  low1 = L::multiply_add_low(low1, twice_a0, a[1]);
  high1 = L::multiply_add_high(high1, twice_a0, a[1]);
  low2 = L::multiply_add_low(low2, twice_a0, a[2]);
  high2 = L::multiply_add_high(high2, twice_a0, a[2]);
  low0 = L::multiply_add_low(low0, twice_a1, a2_wrapped);
  high0 = L::multiply_add_high(high0, twice_a1, a2_wrapped);
  low1 = L::multiply_add_low(low1, a[2], a2_wrapped);
  high1 = L::multiply_add_high(high1, a[2], a2_wrapped);
  low2 = L::multiply_add_low(low2, a[1], a[1]);
  high2 = L::multiply_add_high(high2, a[1], a[1]);
  return {low0 + (high2 << (Limbs44::kWrapShift + 2 * Limbs44::kScale)), low1 + (high0 << (2 * Limbs44::kScale)),
          low2 + (high1 << (2 * Limbs44::kScale))};
}

// Out of line, and once for all bounds, for lane types that take many instructions.
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
  static_assert(A <= Limbs44::kMaxFactor && B <= Limbs44::kMaxFactor);
  if constexpr (L::kInline) {
    return multiply_inline<L>(sums, a.limb, b.limb);
  } else {
    multiply_call<L>(sums, a.limb, b.limb);
    return sums;
  }
}

// A product with Room for what will be taken off.
template <unsigned Room = 0, ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneWide<L, A * B + Room, Room> fp_mul_wide(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return LaneWide<L, A * B + Room, Room>(multiply(multiple_of_p<L, Room>(), a, b));
}
template <ThreeLimbs L, unsigned A>
OPTIKS_INLINE LaneWide<L, A * A> fp_sqr_wide(const LaneFp<L, A>& a) {
  static_assert(2 * A <= Limbs44::kMaxFactor);
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

// Multiples*p, whose limbs are above those of every element of bound Multiples - 1: (B + 1)(2^43 - 2^4) > B(2^43 +
// 2^20).
template <unsigned Multiples>
struct MultipleOfP {
  static_assert(Multiples - 1 <= 2 * Limbs44::kMaxFactor);
  static constexpr u64 kLimb = Multiples * (Limbs44::kLimbMask << Limbs44::kScale);
  static constexpr u64 kTop = Multiples * (Limbs44::kTopMask << Limbs44::kScale);
  static_assert(kLimb >= (Multiples - 1) * Limbs44::kLimbBound && kTop >= (Multiples - 1) * Limbs44::kTopBound);
};

template <ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, A + B + 1> fp_sub(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  using P = MultipleOfP<B + 1>;
  return {a.limb[0] + P::kLimb - b.limb[0], a.limb[1] + P::kLimb - b.limb[1], a.limb[2] + P::kTop - b.limb[2]};
}

template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, B + 1> fp_neg(const LaneFp<L, B>& a) {
  using P = MultipleOfP<B + 1>;
  return {P::kLimb - a.limb[0], P::kLimb - a.limb[1], P::kTop - a.limb[2]};
}

template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE LaneFp<L, B> fp_of_limbs(const Words<L> (&limb)[3]) {
  return {limb[0], limb[1], limb[2]};
}
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_broadcast_limbs(const u64 (&limb)[3]) {
  return {broadcast<L>(limb[0]), broadcast<L>(limb[1]), broadcast<L>(limb[2])};
}
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_broadcast(Fp a) {
  return {broadcast<L>((low64(a.v) & Limbs44::kLimbMask) << Limbs44::kScale),
          broadcast<L>((low64(a.v >> Limbs44::kLimbBits) & Limbs44::kLimbMask) << Limbs44::kScale),
          broadcast<L>(low64(a.v >> (2 * Limbs44::kLimbBits)) << Limbs44::kScale)};
}

template <ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, std::max(A, B)> fp_select(Words<L> mask, const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return {L::select(mask, a.limb[0], b.limb[0]), L::select(mask, a.limb[1], b.limb[1]),
          L::select(mask, a.limb[2], b.limb[2])};
}
template <ThreeLimbs L, unsigned B>
OPTIKS_INLINE Canonical<L> fp_canonical(const LaneFp<L, B>& a) {
  const LaneFp<L, 1> once = fp_carry(a);
  // Carried from limb to limb, twice round: then every limb has its width. The second round ends because the value is
  // below 2^127 + 2^20 before it, so that at most one more comes back, and then into a lowest limb of zeros.
  Words<L> l0 = once.limb[0] >> Limbs44::kScale;
  Words<L> l1 = once.limb[1] >> Limbs44::kScale;
  Words<L> l2 = once.limb[2] >> Limbs44::kScale;
  for (int round = 0; round < 2; ++round) {
    l1 += l0 >> Limbs44::kLimbBits;
    l2 += l1 >> Limbs44::kLimbBits;
    l0 = (l0 & Limbs44::kLimbMask) + (l2 >> Limbs44::kTopBits);
    l1 &= Limbs44::kLimbMask;
    l2 &= Limbs44::kTopMask;
  }
  // Only p itself carries through when 1 is added; it becomes 0.
  const Words<L> carry = (l2 + ((l1 + ((l0 + 1) >> Limbs44::kLimbBits)) >> Limbs44::kLimbBits)) >> Limbs44::kTopBits;
  const Words<L> keep = carry - 1;
  l0 &= keep;
  l1 &= keep;
  l2 &= keep;
  return {l0 | (l1 << Limbs44::kLimbBits), (l1 >> (64 - Limbs44::kLimbBits)) | (l2 << (2 * Limbs44::kLimbBits - 64))};
}

// From two words a lane, a value in [0, p].
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_from_words(Words<L> low, Words<L> high) {
  return {(low & Limbs44::kLimbMask) << Limbs44::kScale,
          (((low >> Limbs44::kLimbBits) | (high << (64 - Limbs44::kLimbBits))) & Limbs44::kLimbMask) << Limbs44::kScale,
          (high >> (2 * Limbs44::kLimbBits - 64)) << Limbs44::kScale};
}

// a/2: an odd value becomes even by adding p. Exact halves need the carried form.
template <ThreeLimbs L>
OPTIKS_INLINE LaneFp<L, 1> fp_half(const LaneFp<L, 1>& a) {
  // Every limb gives its lowest bit to the limb below; that of the lowest becomes 2^126, the top bit of the top limb.
  const Words<L> l0 = a.limb[0] >> Limbs44::kScale;
  const Words<L> l1 = a.limb[1] >> Limbs44::kScale;
  const Words<L> l2 = a.limb[2] >> Limbs44::kScale;
  return carry_limbs<L>(((l0 >> 1) + ((l1 & 1) << (Limbs44::kLimbBits - 1))) << Limbs44::kScale,
                        ((l1 >> 1) + ((l2 & 1) << (Limbs44::kLimbBits - 1))) << Limbs44::kScale,
                        ((l2 >> 1) + ((l0 & 1) << (Limbs44::kTopBits - 1))) << Limbs44::kScale);
}

}  // namespace optiks::vrf::lanes
