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

// Columns: a sum of products, limb by limb without the scale, before carries: value = t0 + t1 2^44 + t2 2^88.
struct Columns {
  Words t0, t1, t2;
};

OPTIKS_INLINE Columns operator+(Columns a, Columns b) { return {a.t0 + b.t0, a.t1 + b.t1, a.t2 + b.t2}; }
OPTIKS_INLINE Columns operator-(Columns a, Columns b) { return {a.t0 - b.t0, a.t1 - b.t1, a.t2 - b.t2}; }

// Columns to an element. One parallel carry is enough: t0 < 2^59, t1 < 2^58, t2 < 2^54 give limbs above 2^44 (2^39)
// by less than 2^16.
template <typename L>
OPTIKS_INLINE LaneFp<L, 1> fp_carry(Columns t) {
  return {((t.t0 & kLimbMask) + (t.t2 >> kTopBits)) << kScale, ((t.t1 & kLimbMask) + (t.t0 >> kLimbBits)) << kScale,
          ((t.t2 & kTopMask) + (t.t1 >> kLimbBits)) << kScale};
}

template <typename L, unsigned B>
OPTIKS_INLINE LaneFp<L, 1> fp_carry(const LaneFp<L, B>& a) {
  return fp_carry<L>({a.limb[0] >> kScale, a.limb[1] >> kScale, a.limb[2] >> kScale});
}

// kBias*p in columns is larger, column by column, than any product of factors with bounds up to 7 (7*7 = 49): their
// columns are below 1,813*2^44, 150*2^44 and 150*2^44 = 4,800*2^39.
inline constexpr u64 kBias = 8192;
static_assert(kBias > u64{37} * 49 && kBias > u64{96} * 50);

// a*b + Bias*kBias*p: 18 multiply-adds, 2 operations for the limbs that wrap and 7 that put the columns together.
// low0, low1, low2 and high0, high1, high2 sum the lower and upper parts; high0 belongs to column 1, high1 to column 2,
// and high2 to column 3, that is 32 times column 0. The bias enters where the sums start.
template <unsigned Bias, typename L, unsigned A, unsigned B>
OPTIKS_INLINE Columns multiply(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  static_assert(A <= kMaxFactor && B <= kMaxFactor);
  const Words a2_wrapped = a.limb[2] << kWrapShift;
  const Words b2_wrapped = b.limb[2] << kWrapShift;
  Words low0{};
  Words low1{};
  Words low2{};
  Words high0 = broadcast(Bias * kBias * kLimbMask);
  Words high1 = broadcast(Bias * kBias * kTopMask);
  Words high2 = broadcast(Bias * (kBias >> kWrapShift) * kLimbMask);
  low0 = L::multiply_add_low(low0, a.limb[0], b.limb[0]);
  high0 = L::multiply_add_high(high0, a.limb[0], b.limb[0]);
  low1 = L::multiply_add_low(low1, a.limb[0], b.limb[1]);
  high1 = L::multiply_add_high(high1, a.limb[0], b.limb[1]);
  low2 = L::multiply_add_low(low2, a.limb[0], b.limb[2]);
  high2 = L::multiply_add_high(high2, a.limb[0], b.limb[2]);
  low0 = L::multiply_add_low(low0, a.limb[1], b2_wrapped);
  high0 = L::multiply_add_high(high0, a.limb[1], b2_wrapped);
  low1 = L::multiply_add_low(low1, a.limb[1], b.limb[0]);
  high1 = L::multiply_add_high(high1, a.limb[1], b.limb[0]);
  low2 = L::multiply_add_low(low2, a.limb[1], b.limb[1]);
  high2 = L::multiply_add_high(high2, a.limb[1], b.limb[1]);
  low0 = L::multiply_add_low(low0, a2_wrapped, b.limb[1]);
  high0 = L::multiply_add_high(high0, a2_wrapped, b.limb[1]);
  low1 = L::multiply_add_low(low1, a.limb[2], b2_wrapped);
  high1 = L::multiply_add_high(high1, a.limb[2], b2_wrapped);
  low2 = L::multiply_add_low(low2, a.limb[2], b.limb[0]);
  high2 = L::multiply_add_high(high2, a.limb[2], b.limb[0]);
  return {(low0 >> (2 * kScale)) + (high2 << kWrapShift), (low1 >> (2 * kScale)) + high0,
          (low2 >> (2 * kScale)) + high1};
}

// a^2: 12 multiply-adds, 3 operations to prepare and 7 to put the columns together.
template <typename L, unsigned A>
OPTIKS_INLINE Columns square(const LaneFp<L, A>& a) {
  static_assert(2 * A <= kMaxFactor);
  const Words twice_a0 = a.limb[0] + a.limb[0];
  const Words twice_a1 = a.limb[1] + a.limb[1];
  const Words a2_wrapped = a.limb[2] << kWrapShift;
  Words low0{};
  Words low1{};
  Words low2{};
  Words high0{};
  Words high1{};
  Words high2{};
  low0 = L::multiply_add_low(low0, a.limb[0], a.limb[0]);
  high0 = L::multiply_add_high(high0, a.limb[0], a.limb[0]);
  low1 = L::multiply_add_low(low1, twice_a0, a.limb[1]);
  high1 = L::multiply_add_high(high1, twice_a0, a.limb[1]);
  low2 = L::multiply_add_low(low2, twice_a0, a.limb[2]);
  high2 = L::multiply_add_high(high2, twice_a0, a.limb[2]);
  low0 = L::multiply_add_low(low0, twice_a1, a2_wrapped);
  high0 = L::multiply_add_high(high0, twice_a1, a2_wrapped);
  low1 = L::multiply_add_low(low1, a.limb[2], a2_wrapped);
  high1 = L::multiply_add_high(high1, a.limb[2], a2_wrapped);
  low2 = L::multiply_add_low(low2, a.limb[1], a.limb[1]);
  high2 = L::multiply_add_high(high2, a.limb[1], a.limb[1]);
  return {(low0 >> (2 * kScale)) + (high2 << kWrapShift), (low1 >> (2 * kScale)) + high0,
          (low2 >> (2 * kScale)) + high1};
}

// Out of line, and once for all bounds, for lane types that take many instructions.
template <typename L>
[[gnu::noinline]] void fp_mul_call(LaneFp<L, 1>& out, const LaneFp<L, 15>& a, const LaneFp<L, 15>& b) {
  out = fp_carry<L>(multiply<0>(a, b));
}
template <typename L>
[[gnu::noinline]] void fp_sqr_call(LaneFp<L, 1>& out, const LaneFp<L, 7>& a) {
  out = fp_carry<L>(square(a));
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, 1> fp_mul(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  if constexpr (L::kInline) {
    return fp_carry<L>(multiply<0>(a, b));
  } else {
    LaneFp<L, 1> out;
    fp_mul_call<L>(out, a, b);
    return out;
  }
}
template <typename L, unsigned A>
OPTIKS_INLINE LaneFp<L, 1> fp_sqr(const LaneFp<L, A>& a) {
  if constexpr (L::kInline) {
    return fp_carry<L>(square(a));
  } else {
    LaneFp<L, 1> out;
    fp_sqr_call<L>(out, a);
    return out;
  }
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
