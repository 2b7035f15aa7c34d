// GF(p), p = 2^127 - 1, eight elements side by side.
//
// An element is x = (X0 + X1 2^44 + X2 2^88)/2^4 with limbs that are multiples of 2^4: 44, 44 and 39 bits of x, each
// moved up by 4. A product of two limbs is then 2^8 times what it stands for, so that the 52 bits where the multiplier
// cuts it are the 44 bits of a limb: the upper part belongs to the next limb, and the lower part is a multiple of 2^8.
//
// Bounds are types. LaneFp<L, B> has X0, X1 <= B*(2^48 + 2^20) and X2 <= B*(2^43 + 2^20). Products have B = 1, sums add
// their bounds, and a factor needs B <= 15, so that its limbs, and 2^5 X2, are below 2^52. Debug builds check every
// limb. docs/vrf-kernels.md has the sums behind these numbers.
#pragma once

#include "optiks/base/check.h"
#include "word.h"

namespace optiks::vrf::lanes {

inline constexpr unsigned kMaxFactor = 15;

inline constexpr unsigned kLimbBits = 44;
inline constexpr unsigned kTopBits = 39;
inline constexpr unsigned kScale = 4;
inline constexpr u64 kLimbMask = (u64{1} << kLimbBits) - 1;
inline constexpr u64 kTopMask = (u64{1} << kTopBits) - 1;
inline constexpr u64 kSlack = u64{1} << 20;
inline constexpr u64 kLimbBound = (u64{1} << (kLimbBits + kScale)) + kSlack;
inline constexpr u64 kTopBound = (u64{1} << (kTopBits + kScale)) + kSlack;
// 2^132 = 2^5: what leaves the top limb comes back times 32.
inline constexpr unsigned kWrapShift = 3 * kLimbBits - 127;

#ifndef NDEBUG
// Out of line, or debug builds would hold it thousands of times; a template, so that each kernel has its own.
template <typename L>
[[gnu::noinline]] void check_limbs(const Words (&limb)[3], u64 bound) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    OPTIKS_DCHECK(limb[0][i] <= bound * kLimbBound && limb[1][i] <= bound * kLimbBound);
    OPTIKS_DCHECK(limb[2][i] <= bound * kTopBound);
    OPTIKS_DCHECK(((limb[0][i] | limb[1][i] | limb[2][i]) & ((u64{1} << kScale) - 1)) == 0);
  }
}

struct ColumnBound {
  u64 t0, t1, t2;
};
template <typename L, typename C>
[[gnu::noinline]] void check_columns(const C& t, const ColumnBound& low, const ColumnBound& high) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    OPTIKS_DCHECK(t.t0[i] >= low.t0 && t.t0[i] <= high.t0);
    OPTIKS_DCHECK(t.t1[i] >= low.t1 && t.t1[i] <= high.t1);
    OPTIKS_DCHECK(t.t2[i] >= low.t2 && t.t2[i] <= high.t2);
  }
}
#endif

template <typename L, unsigned B>
struct LaneFp {
  static_assert(B >= 1 && B <= 2 * kMaxFactor);
  Words limb[3];

  LaneFp() = default;
  OPTIKS_INLINE LaneFp(Words l0, Words l1, Words l2) : limb{l0, l1, l2} {
#ifndef NDEBUG
    check_limbs<L>(limb, B);
#endif
  }
  // A smaller bound is a larger one.
  template <unsigned Smaller>
  requires(Smaller < B) OPTIKS_INLINE LaneFp(const LaneFp<L, Smaller>& a)  // NOLINT(google-explicit-constructor)
      : LaneFp(a.limb[0], a.limb[1], a.limb[2]) {}
};

// Columns: sums of products of limbs before they are carried, 2^8 times what they stand for as the products are:
// value = (t0 + t1 2^44 + t2 2^88)/2^8.
struct Columns {
  Words t0, t1, t2;
};

OPTIKS_INLINE Columns operator+(Columns a, Columns b) { return {a.t0 + b.t0, a.t1 + b.t1, a.t2 + b.t2}; }
OPTIKS_INLINE Columns operator-(Columns a, Columns b) { return {a.t0 - b.t0, a.t1 - b.t1, a.t2 - b.t2}; }

// Multiple<N>: N times 224p, cut so that each of its columns is above the columns of any product of factors of bounds
// A and B with A*B = N: these are below 38N*2^52, 7N*2^52 and 6N*2^52 (docs/vrf-kernels.md).
template <unsigned N>
struct Multiple {
  static constexpr u64 kT0 = N * ((u64{40} << 52) - (u64{224} << (2 * kScale)));
  static constexpr u64 kT1 = N * ((u64{7} << 52) - (u64{40} << (2 * kScale)));
  static constexpr u64 kT2 = N * ((u64{7} << 52) - (u64{7} << (2 * kScale)));
};
inline constexpr unsigned kMaxWide = 102;  // 40 * 102 * 2^52 < 2^64

template <unsigned N>
OPTIKS_INLINE Columns multiple_of_p() {
  return {broadcast(Multiple<N>::kT0), broadcast(Multiple<N>::kT1), broadcast(Multiple<N>::kT2)};
}

// LaneWide: an element as columns, each at least that of Multiple<Room> and at most that of Multiple<N>: up to Room may
// be taken off for nothing. What passes 2^64 on the way comes back.
template <typename L, unsigned N, unsigned Room = 0>
struct LaneWide {
  static_assert(Room <= N && N <= kMaxWide);
  Columns t;

  LaneWide() = default;
  OPTIKS_INLINE explicit LaneWide(Columns columns) : t(columns) {
#ifndef NDEBUG
    check_columns<L>(t, {Multiple<Room>::kT0, Multiple<Room>::kT1, Multiple<Room>::kT2},
                     {Multiple<N>::kT0, Multiple<N>::kT1, Multiple<N>::kT2});
#endif
  }
};

template <typename L, unsigned N1, unsigned Room1, unsigned N2, unsigned Room2>
OPTIKS_INLINE LaneWide<L, N1 + N2, Room1 + Room2> fp_add(const LaneWide<L, N1, Room1>& a,
                                                         const LaneWide<L, N2, Room2>& b) {
  return LaneWide<L, N1 + N2, Room1 + Room2>(a.t + b.t);
}
template <typename L, unsigned N1, unsigned Room1, unsigned N2, unsigned Room2>
requires(Room1 >= N2) OPTIKS_INLINE LaneWide<L, N1 - Room2, Room1 - N2> fp_sub(const LaneWide<L, N1, Room1>& a,
                                                                               const LaneWide<L, N2, Room2>& b) {
  return LaneWide<L, N1 - Room2, Room1 - N2>(a.t - b.t);
}

// Limbs to an element by one carry from each, all at once: enough where what leaves each of them is below 2^20.
template <typename L>
OPTIKS_INLINE LaneFp<L, 1> carry_limbs(Words l0, Words l1, Words l2) {
  constexpr u64 kClear = ~((u64{1} << kScale) - 1);
  return {(l0 & (kLimbMask << kScale)) + ((l2 >> kTopBits) & kClear),
          (l1 & (kLimbMask << kScale)) + ((l0 >> kLimbBits) & kClear),
          (l2 & (kTopMask << kScale)) + ((l1 >> kLimbBits) & kClear)};
}
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp<L, 1> fp_carry(const LaneFp<L, B>& a) {
  return carry_limbs<L>(a.limb[0], a.limb[1], a.limb[2]);
}

// Columns to an element. Here as well one carry from each is enough: what leaves a column is below 2^12, and below 2^17
// from the top one. The multiplier keeps the 44 bits that stay and moves them down by 4 in one instruction:
// (t mod 2^52) 2^48 / 2^52. The top column keeps 39, so it goes up by 5 before.
template <typename L>
OPTIKS_INLINE LaneFp<L, 1> narrow_inline(const Columns& t) {
  constexpr u64 kClear = ~((u64{1} << kScale) - 1);
  constexpr u64 kDown = u64{1} << (52 - kScale);
  return {L::multiply_add_high((t.t2 >> (kTopBits + kScale)) & kClear, t.t0, broadcast(kDown)),
          L::multiply_add_high((t.t0 >> (kLimbBits + kScale)) & kClear, t.t1, broadcast(kDown)),
          L::multiply_add_high((t.t1 >> (kLimbBits + kScale)) & kClear, t.t2 << kWrapShift,
                               broadcast(kDown >> kWrapShift))};
}

// sums + a*b: 18 multiply-adds, 2 operations for the limbs that wrap and 6 that put the columns together. low0, low1,
// low2 and high0, high1, high2 sum the lower and upper parts; high0 belongs to column 1, high1 to column 2, and high2
// to column 3, that is 32 times column 0.
template <typename L>
OPTIKS_INLINE Columns multiply_inline(const Columns& sums, const Words (&a)[3], const Words (&b)[3]) {
  const Words a2_wrapped = a[2] << kWrapShift;
  const Words b2_wrapped = b[2] << kWrapShift;
  Words low0 = sums.t0;
  Words low1 = sums.t1;
  Words low2 = sums.t2;
  Words high0{};
  Words high1{};
  Words high2{};
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
  return {low0 + (high2 << (kWrapShift + 2 * kScale)), low1 + (high0 << (2 * kScale)), low2 + (high1 << (2 * kScale))};
}

// a^2: 12 multiply-adds, 3 operations to prepare and 6 to put the columns together.
template <typename L>
OPTIKS_INLINE Columns square_inline(const Words (&a)[3]) {
  const Words twice_a0 = a[0] + a[0];
  const Words twice_a1 = a[1] + a[1];
  const Words a2_wrapped = a[2] << kWrapShift;
  Words low0{};
  Words low1{};
  Words low2{};
  Words high0{};
  Words high1{};
  Words high2{};
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
  return {low0 + (high2 << (kWrapShift + 2 * kScale)), low1 + (high0 << (2 * kScale)), low2 + (high1 << (2 * kScale))};
}

// Out of line, and once for all bounds, for lane types that take many instructions.
template <typename L>
[[gnu::noinline]] void multiply_call(Columns& sums, const Words (&a)[3], const Words (&b)[3]) {
  sums = multiply_inline<L>(sums, a, b);
}
template <typename L>
[[gnu::noinline]] void square_call(Columns& out, const Words (&a)[3]) {
  out = square_inline<L>(a);
}
template <typename L>
[[gnu::noinline]] void narrow_call(LaneFp<L, 1>& out, const Columns& t) {
  out = narrow_inline<L>(t);
}

template <typename L, unsigned N, unsigned Room>
OPTIKS_INLINE LaneFp<L, 1> fp_narrow(const LaneWide<L, N, Room>& a) {
  if constexpr (L::kInline) {
    return narrow_inline<L>(a.t);
  } else {
    LaneFp<L, 1> out;
    narrow_call<L>(out, a.t);
    return out;
  }
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE Columns multiply(Columns sums, const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  static_assert(A <= kMaxFactor && B <= kMaxFactor);
  if constexpr (L::kInline) {
    return multiply_inline<L>(sums, a.limb, b.limb);
  } else {
    multiply_call<L>(sums, a.limb, b.limb);
    return sums;
  }
}

// A product with Room for what will be taken off.
template <unsigned Room = 0, typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneWide<L, A * B + Room, Room> fp_mul_wide(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return LaneWide<L, A * B + Room, Room>(multiply(multiple_of_p<Room>(), a, b));
}
template <typename L, unsigned A>
OPTIKS_INLINE LaneWide<L, A * A> fp_sqr_wide(const LaneFp<L, A>& a) {
  static_assert(2 * A <= kMaxFactor);
  if constexpr (L::kInline) {
    return LaneWide<L, A * A>(square_inline<L>(a.limb));
  } else {
    Columns out;
    square_call<L>(out, a.limb);
    return LaneWide<L, A * A>(out);
  }
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, 1> fp_mul(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return fp_narrow(fp_mul_wide(a, b));
}
template <typename L, unsigned A>
OPTIKS_INLINE LaneFp<L, 1> fp_sqr(const LaneFp<L, A>& a) {
  return fp_narrow(fp_sqr_wide(a));
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, A + B> fp_add(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return {a.limb[0] + b.limb[0], a.limb[1] + b.limb[1], a.limb[2] + b.limb[2]};
}

// Multiples*p, whose limbs are above those of every element of bound Multiples - 1: (B + 1)(2^43 - 2^4) > B(2^43 +
// 2^20).
template <unsigned Multiples>
struct MultipleOfP {
  static_assert(Multiples - 1 <= 2 * kMaxFactor);
  static constexpr u64 kLimb = Multiples * (kLimbMask << kScale);
  static constexpr u64 kTop = Multiples * (kTopMask << kScale);
  static_assert(kLimb >= (Multiples - 1) * kLimbBound && kTop >= (Multiples - 1) * kTopBound);
};

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, A + B + 1> fp_sub(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  using P = MultipleOfP<B + 1>;
  return {a.limb[0] + P::kLimb - b.limb[0], a.limb[1] + P::kLimb - b.limb[1], a.limb[2] + P::kTop - b.limb[2]};
}

template <typename L, unsigned B>
OPTIKS_INLINE LaneFp<L, B + 1> fp_neg(const LaneFp<L, B>& a) {
  using P = MultipleOfP<B + 1>;
  return {P::kLimb - a.limb[0], P::kLimb - a.limb[1], P::kTop - a.limb[2]};
}

}  // namespace optiks::vrf::lanes
