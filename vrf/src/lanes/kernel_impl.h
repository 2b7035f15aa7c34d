// The functions of a kernel, as a template over the lane type L.
#pragma once

#include <bit>

#include "kernel.h"
#include "lane_elligator.h"
#include "lane_mul.h"

namespace optiks::vrf::lanes {

template <typename L>
struct KernelOf {
  using Element = LaneFp2<L, 1>;

  template <unsigned B>
  OPTIKS_INLINE static void store(Words<L> (&out)[2][L::Limbs::kNum], const LaneFp2<L, B>& a) {
    for (std::size_t i = 0; i < L::Limbs::kNum; ++i) {
      out[0][i] = a.re.limb[i];
      out[1][i] = a.im.limb[i];
    }
  }
  template <unsigned B>
  OPTIKS_INLINE static void load(LaneFp2<L, B>& out, const Words<L> (&in)[2][L::Limbs::kNum]) {
    out = {fp_of_limbs<L, B>(in[0]), fp_of_limbs<L, B>(in[1])};
  }

  static void store(GroupPoints& out, const LanePoint<L>& point) {
    store(limbs_of(out)[0], point.x);
    store(limbs_of(out)[1], point.y);
    store(limbs_of(out)[2], point.z);
    store(limbs_of(out)[3], point.ta);
    store(limbs_of(out)[4], point.tb);
  }
  static LanePoint<L> load(const GroupPoints& in) {
    LanePoint<L> out;
    load(out.x, limbs_of(in)[0]);
    load(out.y, limbs_of(in)[1]);
    load(out.z, limbs_of(in)[2]);
    load(out.ta, limbs_of(in)[3]);
    load(out.tb, limbs_of(in)[4]);
    return out;
  }

  static Element load_elements(const Fp2* in) {
    u64 rows[4][L::kLanes];
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      rows[0][lane] = low64(in[lane].re.v);
      rows[1][lane] = high64(in[lane].re.v);
      rows[2][lane] = low64(in[lane].im.v);
      rows[3][lane] = high64(in[lane].im.v);
    }
    Words<L> words[4];
    __builtin_memcpy(words, rows, sizeof(words));
    return {fp_from_words<L>(words[0], words[1]), fp_from_words<L>(words[2], words[3])};
  }

  template <std::size_t K>
  static void encode_groups(GroupPoints* h, const Fp2* u) {
    Element elements[K];
    LanePoint<L> points[K];
    for (std::size_t j = 0; j < K; ++j) {
      elements[j] = load_elements(u + j * L::kLanes);
    }
    elligator2(points, elements);
    for (std::size_t j = 0; j < K; ++j) {
      store(h[j], point_clear_cofactor(points[j]));
    }
  }

  static void encode_to_curve(GroupPoints* h, const Fp2* u, std::size_t num_groups) {
    std::size_t i = 0;
    for (; i + 4 <= num_groups; i += 4) {
      encode_groups<4>(h + i, u + i * L::kLanes);
    }
    for (; i + 2 <= num_groups; i += 2) {
      encode_groups<2>(h + i, u + i * L::kLanes);
    }
    if (i < num_groups) {
      encode_groups<1>(h + i, u + i * L::kLanes);
    }
  }

  OPTIKS_INLINE static u64 little_endian(u64 word) {
    return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
  }

  // These functions convert words to 32-octet strings, and back.
  OPTIKS_INLINE static void store_strings(PointString* out, const Words<L> (&words)[4]) {
    u64 rows[4][L::kLanes];
    __builtin_memcpy(rows, words, sizeof(rows));
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      for (std::size_t i = 0; i < 4; ++i) {
        const u64 word = little_endian(rows[i][lane]);
        __builtin_memcpy(out[lane].data() + 8 * i, &word, 8);
      }
    }
  }
  OPTIKS_INLINE static void load_strings(Words<L> (&words)[4], const PointString* in) {
    u64 rows[4][L::kLanes];
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      for (std::size_t i = 0; i < 4; ++i) {
        u64 word;
        __builtin_memcpy(&word, in[lane].data() + 8 * i, 8);
        rows[i][lane] = little_endian(word);
      }
    }
    __builtin_memcpy(words, rows, sizeof(words));
  }

  // Returns the sign of x in the lowest bit of each lane (docs/spec/vrf.md section 2).
  static Words<L> sign_of(const Element& x) {
    const Canonical<L> re = fp_canonical(x.re);
    const Canonical<L> im = fp_canonical(x.im);
    const Words<L> re_is_zero = L::equal(re.low | re.high, Words<L>{});
    return (L::select(re_is_zero, im.high, re.high) >> 62) & 1;
  }

  static void encode_one(PointString* out, const GroupPoints& point, const Element& z_inverse) {
    Element x;
    Element y;
    load(x, limbs_of(point)[0]);
    load(y, limbs_of(point)[1]);
    y = fp2_mul(y, z_inverse);
    const Canonical<L> re = fp_canonical(y.re);
    const Canonical<L> im = fp_canonical(y.im);
    const Words<L> words[4] = {re.low, re.high, im.low, im.high | (sign_of(fp2_mul(x, z_inverse)) << 63)};
    store_strings(out, words);
  }

  // Implements encode of kernel.h. The points of all groups share one inversion (Montgomery's trick). The lanes are
  // independent of each other.
  static void encode(PointString* out, const GroupPoints* points, std::size_t num_points) {
    OPTIKS_CHECK(num_points >= 1 && num_points <= kMaxEncode);
    Element products[kMaxEncode];
    load(products[0], limbs_of(points[0])[2]);
    for (std::size_t i = 1; i < num_points; ++i) {
      Element z;
      load(z, limbs_of(points[i])[2]);
      products[i] = fp2_mul(products[i - 1], z);
    }
    Element inverse = fp2_invert(products[num_points - 1]);
    for (std::size_t i = num_points; i-- > 1;) {
      Element z;
      load(z, limbs_of(points[i])[2]);
      encode_one(out + i * L::kLanes, points[i], fp2_mul(inverse, products[i - 1]));
      inverse = fp2_mul(inverse, z);
    }
    encode_one(out, points[0], inverse);
  }

  // The layout of GroupPoints: x, y, z, ta and tb, for each of these re and im, and for each of re and im the limbs.
  using PointLimbs = Words<L>[5][2][L::Limbs::kNum];
  static_assert(sizeof(PointLimbs) <= sizeof(GroupPoints) && sizeof(LaneScalar<L>) <= sizeof(GroupScalar));
  OPTIKS_INLINE static PointLimbs& limbs_of(GroupPoints& points) { return reinterpret_cast<PointLimbs&>(points); }
  OPTIKS_INLINE static const PointLimbs& limbs_of(const GroupPoints& points) {
    return reinterpret_cast<const PointLimbs&>(points);
  }
  OPTIKS_INLINE static const LaneScalar<L>& words_of(const GroupScalar& scalars) {
    return reinterpret_cast<const LaneScalar<L>&>(scalars);
  }

  // Calls with(i, table of h[i]) for every group i, from the last to the first.
  template <typename With>
  OPTIKS_INLINE static void with_tables(const GroupPoints* h, std::size_t num_groups, const With& with) {
    LaneMulTables<L> tables;
    make_tables(tables, num_groups, [h](std::size_t i) { return load(h[i]); });
    for (std::size_t i = num_groups; i-- > 0;) {
      LaneAffineTable<L> table;
      take_table(table, tables, i);
      with(i, table);
    }
  }

  static void mul_same(GroupPoints* out, const GroupPoints* h, std::size_t num_groups, const Digits& digits) {
    with_tables(h, num_groups,
                [&](std::size_t i, const LaneAffineTable<L>& table) { store(out[i], lanes::mul_same(table, digits)); });
  }

  static void prove(GroupPoints* out, const GroupPoints* h, std::size_t num_groups, const Digits& x_digits,
                    const GroupScalar* k_parts, const GroupScalar* k_comb) {
    // The code first multiplies the generator for all groups, so that the generator's table is loaded into the nearest
    // cache only once.
    for (std::size_t i = 0; i < num_groups; ++i) {
      store(out[i * kNumProofPoints + kU], generator_mul<L>(generator_comb<typename L::Limbs>(), words_of(k_comb[i])));
    }
    with_tables(h, num_groups, [&](std::size_t i, const LaneAffineTable<L>& table) {
      GroupPoints* const points = out + i * kNumProofPoints;
      const base::Zeroizing<LaneDigits<L>> k_digits(recode<L>(words_of(k_parts[i])));
      const LanePoint<L> gamma = lanes::mul_same(table, x_digits);
      store(points[kGamma], gamma);
      store(points[kV], mul_each(table, *k_digits));
      store(points[kClearedGamma], point_clear_cofactor(gamma));
    });
  }

  static std::uint8_t bits_of(Words<L> mask) {
    unsigned bits = 0;
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      bits |= static_cast<unsigned>(mask[lane] & 1) << lane;
    }
    return static_cast<std::uint8_t>(bits);
  }

  // Decodes the strings of K groups, as point_decode_vartime of point.cc does for one string.
  template <std::size_t K>
  static void decode_groups(GroupPoints* out, std::uint8_t* valid, const PointString* strings) {
    const auto one = fp2_broadcast<L>(kFp2One);
    Element y[K];
    Words<L> sign[K];
    Words<L> is_point[K];
    Element m[K];
    LaneFp<L, 1> delta[K];
    for (std::size_t j = 0; j < K; ++j) {
      Words<L> words[4];
      load_strings(words, strings + j * L::kLanes);
      constexpr u64 kHighMask = high64(kP);
      sign[j] = words[3] >> 63;
      words[3] &= kHighMask;
      const Words<L> all = ~Words<L>{};
      // A coordinate is below p if bit 127 is clear and the other bits are not all ones.
      is_point[j] = L::equal(words[1] >> 63, Words<L>{}) & ~L::equal(words[0] & (words[1] | ~kHighMask), all) &
                    ~L::equal(words[2] & (words[3] | ~kHighMask), all);
      words[1] &= kHighMask;
      y[j] = {fp_from_words<L>(words[0], words[1]), fp_from_words<L>(words[2], words[3])};
      const auto yy = fp2_sqr(y[j]);
      const auto v = fp2_add(fp2_mul(kCurveD, yy), one);
      m[j] = fp2_mul(fp2_sub(yy, one), fp2_conj(v));
      delta[j] = fp2_norm(v);
    }
    LaneSqrtRatio<L> ratio[K];
    fp2_sqrt_ratio(ratio, m, delta);
    for (std::size_t j = 0; j < K; ++j) {
      const Element root = fp2_carry(ratio[j].root);
      const Words<L> flip = Words<L>{} - (sign_of(root) ^ sign[j]);
      // A root of 0 has only one sign, so a string that asks for the other sign is not a point.
      is_point[j] &= ratio[j].is_square & ~(flip & fp2_is_zero(root));
      const Element x = fp2_carry(fp2_select(flip, fp2_neg(root), root));
      const LanePoint<L> identity = lane_identity<L>();
      const Element safe_x = fp2_select(is_point[j], x, identity.x);
      const Element safe_y = fp2_select(is_point[j], y[j], one);
      store(out[j], LanePoint<L>{safe_x, safe_y, one, safe_x, safe_y});
      valid[j] = bits_of(is_point[j]);
    }
  }

  static void decode(GroupPoints* out, std::uint8_t* valid, const PointString* strings, std::size_t num_groups) {
    std::size_t i = 0;
    for (; i + 4 <= num_groups; i += 4) {
      decode_groups<4>(out + i, valid + i, strings + i * L::kLanes);
    }
    for (; i + 2 <= num_groups; i += 2) {
      decode_groups<2>(out + i, valid + i, strings + i * L::kLanes);
    }
    if (i < num_groups) {
      decode_groups<1>(out + i, valid + i, strings + i * L::kLanes);
    }
  }

  static void verify(GroupPoints* out, std::uint8_t* small_order, const GroupPoints* h, const GroupPoints* gamma,
                     std::size_t num_groups, const ChallengeCombs& y, const GroupScalar* s_parts,
                     const GroupScalar* s_comb, const GroupScalar* c) {
    for (std::size_t i = 0; i < num_groups; ++i) {
      GroupPoints* const points = out + i * kNumVerifyPoints;
      const LanePoint<L> gamma_points = load(gamma[i]);
      const LanePoint<L> cleared = point_clear_cofactor(gamma_points);
      small_order[i] = bits_of(point_is_identity(cleared));
      LaneMulTable<L> table;
      make_table(table, load(h[i]));
      const LaneDigits<L> s_digits = recode<L>(words_of(s_parts[i]));
      points[kVerifyH] = h[i];
      store(points[kVerifyU],
            generator_minus<L>(generator_comb<typename L::Limbs>(), words_of(s_comb[i]), y, words_of(c[i])));
      store(points[kVerifyV], subgroup_minus_any<L>(table, s_digits, gamma_points, words_of(c[i])));
      store(points[kVerifyClearedGamma], cleared);
    }
  }

  static constexpr Kernel kKernel = {L::kLanes, encode_to_curve, encode, mul_same, prove, decode, verify};
};

}  // namespace optiks::vrf::lanes
