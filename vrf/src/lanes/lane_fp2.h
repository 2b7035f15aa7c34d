// GF(p^2), eight elements side by side. Same names as in fp2.h, so that the formulas of the curve are written once.
#pragma once

#include <algorithm>

#include "fp2.h"
#include "lane_fp.h"

namespace optiks::vrf::lanes {

template <typename L, unsigned B>
struct LaneFp2 {
  LaneFp<L, B> re, im;

  LaneFp2() = default;
  OPTIKS_INLINE LaneFp2(const LaneFp<L, B>& a, const LaneFp<L, B>& b) : re(a), im(b) {}
  template <unsigned Smaller>
  requires(Smaller < B) OPTIKS_INLINE LaneFp2(const LaneFp2<L, Smaller>& a)  // NOLINT(google-explicit-constructor)
      : re(a.re), im(a.im) {}
};

template <typename L>
OPTIKS_INLINE LaneFp<L, 1> fp_broadcast(Fp a) {
  return {broadcast((low64(a.v) & kLimbMask) << kScale), broadcast((low64(a.v >> kLimbBits) & kLimbMask) << kScale),
          broadcast(low64(a.v >> (2 * kLimbBits)) << kScale)};
}

// A constant in every lane.
template <typename L>
OPTIKS_INLINE LaneFp2<L, 1> fp2_broadcast(const Fp2& a) {
  return {fp_broadcast<L>(a.re), fp_broadcast<L>(a.im)};
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, A + B> fp2_add(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  return {fp_add(a.re, b.re), fp_add(a.im, b.im)};
}
template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, A + B + 1> fp2_sub(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  return {fp_sub(a.re, b.re), fp_sub(a.im, b.im)};
}
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, B + 1> fp2_neg(const LaneFp2<L, B>& a) {
  return {fp_neg(a.re), fp_neg(a.im)};
}
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, 2 * B> fp2_double(const LaneFp2<L, B>& a) {
  return fp2_add(a, a);
}
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, B + 1> fp2_conj(const LaneFp2<L, B>& a) {
  return {a.re, fp_neg(a.im)};
}

// LaneWide2: a product that is not carried yet. Sums and differences of products are carried once (fp2_narrow).
template <typename L, unsigned N, unsigned Room>
struct LaneWide2 {
  LaneWide<L, N, Room> re, im;
};

template <typename L, unsigned N1, unsigned Room1, unsigned N2, unsigned Room2>
OPTIKS_INLINE auto fp2_add(const LaneWide2<L, N1, Room1>& a, const LaneWide2<L, N2, Room2>& b) {
  return LaneWide2<L, N1 + N2, Room1 + Room2>{fp_add(a.re, b.re), fp_add(a.im, b.im)};
}
template <typename L, unsigned N1, unsigned Room1, unsigned N2, unsigned Room2>
OPTIKS_INLINE auto fp2_sub(const LaneWide2<L, N1, Room1>& a, const LaneWide2<L, N2, Room2>& b) {
  return LaneWide2<L, N1 - Room2, Room1 - N2>{fp_sub(a.re, b.re), fp_sub(a.im, b.im)};
}
template <typename L, unsigned N, unsigned Room>
OPTIKS_INLINE LaneFp2<L, 1> fp2_narrow(const LaneWide2<L, N, Room>& a) {
  return {fp_narrow(a.re), fp_narrow(a.im)};
}

// Karatsuba: 54 multiply-adds and 39 other operations. The cross product is above the sum of the other two but for what
// their cuts at bit 52 leave in the lower parts, less than Multiple<1>.
template <unsigned Room = 0, typename L, unsigned A, unsigned B>
OPTIKS_INLINE auto fp2_mul_wide(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  constexpr unsigned kWide = 2 * A * B + 1 + Room;
  const Columns re = multiply(multiple_of_p<A * B + Room>(), a.re, b.re);
  const Columns im = multiply(Columns{}, a.im, b.im);
  const Columns cross = multiply(multiple_of_p<A * B + 2 * Room + 1>(), fp_add(a.re, a.im), fp_add(b.re, b.im));
  return LaneWide2<L, kWide, Room>{LaneWide<L, kWide, Room>(re - im), LaneWide<L, kWide, Room>(cross - re - im)};
}

// (re + im)(re - im) + 2 re im i: 36 multiply-adds and 28 other operations.
template <unsigned Room = 0, typename L, unsigned A>
OPTIKS_INLINE auto fp2_sqr_wide(const LaneFp2<L, A>& a) {
  constexpr unsigned kWide = 2 * A * (2 * A + 1) + Room;
  const Columns re = multiply(multiple_of_p<Room>(), fp_add(a.re, a.im), fp_sub(a.re, a.im));
  const Columns im = multiply(multiple_of_p<Room>(), fp_add(a.re, a.re), a.im);
  return LaneWide2<L, kWide, Room>{LaneWide<L, kWide, Room>(re), LaneWide<L, kWide, Room>(im)};
}

// An element among products.
template <unsigned Room = 0, typename L, unsigned B>
OPTIKS_INLINE auto fp2_widen(const LaneFp2<L, B>& a) {
  const auto widen = [](const LaneFp<L, B>& x) {
    const Columns t = {x.limb[0] << kScale, x.limb[1] << kScale, x.limb[2] << kScale};
    return LaneWide<L, B + Room, Room>(Room == 0 ? t : t + multiple_of_p<Room>());
  };
  return LaneWide2<L, B + Room, Room>{widen(a.re), widen(a.im)};
}

// Out of line as in lane_fp.h.
template <typename L>
[[gnu::noinline]] void fp2_mul_call(LaneFp2<L, 1>& out, const LaneFp2<L, 7>& a, const LaneFp2<L, 7>& b) {
  out = fp2_narrow(fp2_mul_wide(a, b));
}
template <typename L>
[[gnu::noinline]] void fp2_sqr_call(LaneFp2<L, 1>& out, const LaneFp2<L, 4>& a) {
  out = fp2_narrow(fp2_sqr_wide(a));
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, 1> fp2_mul(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  if constexpr (L::kInline) {
    return fp2_narrow(fp2_mul_wide(a, b));
  } else {
    LaneFp2<L, 1> out;
    fp2_mul_call<L>(out, a, b);
    return out;
  }
}
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, 1> fp2_mul(const Fp2& constant, const LaneFp2<L, B>& b) {
  return fp2_mul(fp2_broadcast<L>(constant), b);
}
template <typename L, unsigned A>
OPTIKS_INLINE LaneFp2<L, 1> fp2_mul(const LaneFp2<L, A>& a, const Fp2& constant) {
  return fp2_mul(a, fp2_broadcast<L>(constant));
}
template <typename L, unsigned A>
OPTIKS_INLINE LaneFp2<L, 1> fp2_sqr(const LaneFp2<L, A>& a) {
  if constexpr (L::kInline) {
    return fp2_narrow(fp2_sqr_wide(a));
  } else {
    LaneFp2<L, 1> out;
    fp2_sqr_call<L>(out, a);
    return out;
  }
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, 1> fp2_mul_fp(const LaneFp2<L, A>& a, const LaneFp<L, B>& b) {
  return {fp_mul(a.re, b), fp_mul(a.im, b)};
}

// re^2 + im^2.
template <typename L, unsigned A>
OPTIKS_INLINE LaneFp<L, 1> fp2_norm(const LaneFp2<L, A>& a) {
  return fp_narrow(fp_add(fp_sqr_wide(a.re), fp_sqr_wide(a.im)));
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, std::max(A, B)> fp_select(Words mask, const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return {L::select(mask, a.limb[0], b.limb[0]), L::select(mask, a.limb[1], b.limb[1]),
          L::select(mask, a.limb[2], b.limb[2])};
}
template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, std::max(A, B)> fp2_select(Words mask, const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  return {fp_select(mask, a.re, b.re), fp_select(mask, a.im, b.im)};
}

// Canonical: the one form of an element, 127 bits below p in two words a lane.
struct Canonical {
  Words low, high;
};

template <typename L, unsigned B>
OPTIKS_INLINE Canonical fp_canonical(const LaneFp<L, B>& a) {
  const LaneFp<L, 1> once = fp_carry(a);
  // Carried from limb to limb, twice round: then every limb has its width. The second round ends because the value is
  // below 2^127 + 2^20 before it, so that at most one more comes back, and then into a lowest limb of zeros.
  Words l0 = once.limb[0] >> kScale;
  Words l1 = once.limb[1] >> kScale;
  Words l2 = once.limb[2] >> kScale;
  for (int round = 0; round < 2; ++round) {
    l1 += l0 >> kLimbBits;
    l2 += l1 >> kLimbBits;
    l0 = (l0 & kLimbMask) + (l2 >> kTopBits);
    l1 &= kLimbMask;
    l2 &= kTopMask;
  }
  // Only p itself carries through when 1 is added; it becomes 0.
  const Words carry = (l2 + ((l1 + ((l0 + 1) >> kLimbBits)) >> kLimbBits)) >> kTopBits;
  const Words keep = carry - 1;
  l0 &= keep;
  l1 &= keep;
  l2 &= keep;
  return {l0 | (l1 << kLimbBits), (l1 >> (64 - kLimbBits)) | (l2 << (2 * kLimbBits - 64))};
}

// All ones in the lanes where a = 0.
template <typename L, unsigned B>
OPTIKS_INLINE Words fp_is_zero(const LaneFp<L, B>& a) {
  const Canonical c = fp_canonical(a);
  return L::equal(c.low | c.high, Words{});
}
template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE Words fp_equal(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return fp_is_zero(fp_sub(a, b));
}
template <typename L, unsigned B>
OPTIKS_INLINE Words fp2_is_zero(const LaneFp2<L, B>& a) {
  return fp_is_zero(a.re) & fp_is_zero(a.im);
}
template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE Words fp2_equal(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  return fp2_is_zero(fp2_sub(a, b));
}

// From two words a lane, a value in [0, p].
template <typename L>
OPTIKS_INLINE LaneFp<L, 1> fp_from_words(Words low, Words high) {
  return {(low & kLimbMask) << kScale, (((low >> kLimbBits) | (high << (64 - kLimbBits))) & kLimbMask) << kScale,
          (high >> (2 * kLimbBits - 64)) << kScale};
}

// a/2: an odd value becomes even by adding p. Exact halves need the carried form.
template <typename L>
OPTIKS_INLINE LaneFp<L, 1> fp_half(const LaneFp<L, 1>& a) {
  // Every limb gives its lowest bit to the limb below; that of the lowest becomes 2^126, the top bit of the top limb.
  const Words l0 = a.limb[0] >> kScale;
  const Words l1 = a.limb[1] >> kScale;
  const Words l2 = a.limb[2] >> kScale;
  return carry_limbs<L>(((l0 >> 1) + ((l1 & 1) << (kLimbBits - 1))) << kScale,
                        ((l1 >> 1) + ((l2 & 1) << (kLimbBits - 1))) << kScale,
                        ((l2 >> 1) + ((l0 & 1) << (kTopBits - 1))) << kScale);
}

}  // namespace optiks::vrf::lanes
