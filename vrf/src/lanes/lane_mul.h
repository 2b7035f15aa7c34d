// Multiplications, side by side.
#pragma once

#include "comb.h"
#include "kernel.h"
#include "lane_point.h"

namespace optiks::vrf::lanes {

// A 256-bit integer in each lane (kernel.h GroupScalar).
template <typename L>
struct LaneScalar {
  Words<L> w[4];
};

// Each lane's own digits (decompose.h).
template <typename L>
struct LaneDigits {
  Words<L> negative[kNumDigits];
  Words<L> index[kNumDigits];
};

// recode of decompose.cc for the scalars of all lanes.
template <typename L>
OPTIKS_INLINE void recode(LaneDigits<L>& out, const LaneScalar<L>& parts) {
  const auto bits = mini_scalar_bits(parts.w[0], parts.w[1], parts.w[2], parts.w[3]);
  for (std::size_t i = 0; i < kNumDigits; ++i) {
    const auto bit = [i](Words<L> words) { return (words >> i) & 1; };
    out.negative[i] = Words<L>{} - bit(bits.negative);
    out.index[i] = bit(bits.index[0]) | (bit(bits.index[1]) << 1) | (bit(bits.index[2]) << 2);
  }
}

template <typename L>
[[gnu::noinline]] void make_table(LaneMulTable<L>& table, const LanePoint<L>& point) {
  fill_mul_table(table, point);
}

// LaneAffineTable: a LaneMulTable with Z = 1. Each of 63 additions saves a product and each selection a quarter of its
// loads; to make it costs five products an entry more and a share of an inversion.
template <typename L>
struct LaneAffineTable {
  LaneAffinePoint<L> entries[8];
};

// LaneMulTables: those of several groups, which share one inversion (Montgomery's trick) and are made affine one after
// the other, the last first: only one affine table is in memory at a time.
template <typename L>
struct LaneMulTables {
  struct Entry {
    LaneFp2<L, 1> x, y, z;
    LaneFp2<L, 1> product;  // of every z before this one
  };
  Entry entries[kMaxGroups][8];
  LaneFp2<L, 1> inverse;  // of the product of every z of the tables that are left
};

// point(i): of group i.
template <typename L, typename GetPoint>
[[gnu::noinline]] void make_tables(LaneMulTables<L>& tables, std::size_t num_groups, const GetPoint& point) {
  auto product = fp2_broadcast<L>(kFp2One);
  mul_table_sums<LaneField<L>, kMaxGroups>(num_groups, point, [&](std::size_t i, const LanePoint<L>(&sums)[8]) {
    for (std::size_t j = 0; j < 8; ++j) {
      tables.entries[i][j] = {sums[j].x, sums[j].y, sums[j].z, product};
      product = fp2_mul(product, sums[j].z);  // never 0: the group law is complete
    }
  });
  tables.inverse = fp2_invert(product);
}

// Takes table i, the last that is left.
template <typename L>
[[gnu::noinline]] void take_table(LaneAffineTable<L>& out, LaneMulTables<L>& tables, std::size_t i) {
  for (std::size_t j = 8; j-- > 0;) {
    const auto& entry = tables.entries[i][j];
    const auto z_inverse = fp2_mul(tables.inverse, entry.product);
    tables.inverse = fp2_mul(tables.inverse, entry.z);
    const auto x = fp2_mul(entry.x, z_inverse);
    const auto y = fp2_mul(entry.y, z_inverse);
    out.entries[j] = {table_form<L>(fp2_add(y, x)), table_form<L>(fp2_sub(y, x)),
                      table_form(fp2_mul(fp2_mul(x, y), kTwoD))};
  }
}

template <typename L>
[[gnu::noinline]] LanePoint<L> mul_same(const LaneAffineTable<L>& table, const Digits& digits) {
  const auto digit_point = [&](std::size_t i) {
    return LaneAffineChoice<L>{table.entries, broadcast<L>(digits.index[i]), broadcast<L>(digits.sign_mask[i])};
  };
  return mul_digits(point_of<L>(chosen(digit_point(kNumDigits - 1))), digit_point);
}

template <typename L>
[[gnu::noinline]] LanePoint<L> mul_each(const LaneAffineTable<L>& table, const LaneDigits<L>& digits) {
  const auto digit_point = [&](std::size_t i) {
    return LaneAffineChoice<L>{table.entries, digits.index[i], digits.negative[i]};
  };
  return mul_digits(point_of<L>(chosen(digit_point(kNumDigits - 1))), digit_point);
}

// Bit `position` of each lane's integer.
template <typename L>
OPTIKS_INLINE Words<L> bit_at(const LaneScalar<L>& bits, std::size_t position) {
  return (bits.w[position / 64] >> (position % 64)) & 1;
}

// What one column of a block stands for; its negative where `minus` is all ones.
template <typename L, typename Limbs, std::size_t NumTeeth, std::size_t NumBlocks>
OPTIKS_INLINE LaneSignedAffinePoint<L> column_point(const CombTable<Limbs, NumTeeth, NumBlocks>& table,
                                                    std::size_t block, const LaneScalar<L>& bits, std::size_t tooth_len,
                                                    std::size_t position, Words<L> minus) {
  // Table entries have a positive top tooth; a negative one flips the signs of all.
  const Words<L> negative = bit_at(bits, position + (NumTeeth - 1) * tooth_len) - 1;
  Words<L> index{};
  for (std::size_t tooth = 0; tooth + 1 < NumTeeth; ++tooth) {
    index |= (bit_at(bits, position + tooth * tooth_len) ^ (negative & 1)) << tooth;
  }
  const auto& limbs = table.limbs[block];
  const LaneAffinePoint<L> entry = {lookup<L>(limbs[0], index), lookup<L>(limbs[1], index), lookup<L>(limbs[2], index)};
  return negated_if(negative ^ minus, entry);
}

// k*G. 6 doublings, 41 additions.
template <typename L>
[[gnu::noinline]] LanePoint<L> generator_mul(const GeneratorComb<typename L::Limbs>& table, const LaneScalar<L>& bits) {
  const auto point = [&](std::size_t block, std::size_t column) {
    return column_point<L>(table, block, bits, kGeneratorTooth, block * kNumColumns + column, Words<L>{});
  };
  LanePoint<L> sum = point_of<L>(point(0, kNumColumns - 1));
  for (std::size_t column = kNumColumns; column-- > 0;) {
    const bool is_top = column + 1 == kNumColumns;
    if (!is_top) {
      point_double(sum);
    }
    for (std::size_t block = is_top ? 1 : 0; block < GeneratorComb<typename L::Limbs>::kNumBlocks; ++block) {
      point_add(sum, point(block, column));
    }
  }
  return sum;
}

// A constant affine point in the lanes where mask is all ones, the identity (1, 1, 0) in the others.
template <typename L>
OPTIKS_INLINE LaneAffinePoint<L> affine_or_identity(Words<L> mask, const u64 (&limbs)[3][2][L::Limbs::kNum]) {
  const auto element = [&](const u64(&coordinate)[2][L::Limbs::kNum]) {
    const auto part = [](const u64(&limb)[L::Limbs::kNum]) { return fp_broadcast_limbs<L>(limb); };
    return LaneFp2<L, 1>(part(coordinate[0]), part(coordinate[1]));
  };
  const auto one = fp2_broadcast<L>(kFp2One);
  return {table_form(fp2_select(mask, element(limbs[0]), one)), table_form(fp2_select(mask, element(limbs[1]), one)),
          table_form(fp2_select(mask, element(limbs[2]), fp2_broadcast<L>(kFp2Zero)))};
}

// s*G - c*Y for every point Y of the curve. The comb multiplies by the odd one of c and c + 1, and where that is c + 1,
// Y is given back. 6 doublings, 69 additions.
template <typename L>
[[gnu::noinline]] LanePoint<L> generator_minus(const GeneratorComb<typename L::Limbs>& g, const LaneScalar<L>& s_bits,
                                               const ChallengeComb<typename L::Limbs>& y, const LaneScalar<L>& c) {
  // (c + 2^130 - 1)/2 for an odd c.
  const LaneScalar<L> c_bits = {{(c.w[0] >> 1) | (c.w[1] << 63), c.w[1] >> 1, broadcast<L>(2), Words<L>{}}};
  LanePoint<L> sum = lane_identity<L>();
  for (std::size_t column = kNumColumns; column-- > 0;) {
    if (column + 1 < kNumColumns) {
      point_double(sum);
    }
    for (std::size_t block = 0; block < GeneratorComb<typename L::Limbs>::kNumBlocks; ++block) {
      point_add(sum, column_point<L>(g, block, s_bits, kGeneratorTooth, block * kNumColumns + column, Words<L>{}));
    }
    for (std::size_t block = 0; block < decltype(y.table)::kNumBlocks && block * kNumColumns + column < kChallengeTooth;
         ++block) {
      point_add(sum,
                column_point<L>(y.table, block, c_bits, kChallengeTooth, block * kNumColumns + column, ~Words<L>{}));
    }
  }
  point_add(sum, affine_or_identity<L>((c.w[0] & 1) - 1, y.y));
  return sum;
}

// s*H - c*Gamma for H of order N and every point Gamma of the curve: c multiplies by odd digits of four bits, and no
// endomorphism touches it. As above, the odd one of c and c + 1 is taken. 128 doublings, 97 additions.
template <typename L>
[[gnu::noinline]] LanePoint<L> subgroup_minus_any(const LaneMulTable<L>& h, const LaneDigits<L>& s,
                                                  const LanePoint<L>& gamma, const LaneScalar<L>& c) {
  // Odd multiples of Gamma: 1, 3, ..., 15.
  LaneCachedPoint<L> odd[8];
  LanePoint<L> multiple = gamma;
  point_double(multiple);
  const LaneCachedPoint<L> twice = point_to_cached(multiple);
  multiple = gamma;
  odd[0] = point_to_cached(multiple);
  for (std::size_t i = 1; i < 8; ++i) {
    point_add(multiple, twice);
    odd[i] = point_to_cached(multiple);
  }

  // Digit i of c is 2 b - 15, b = bits 4 i + 1 to 4 i + 4 of c with bit 128 set. It is taken off: a negative one is
  // added.
  const auto gamma_point = [&](std::size_t i) {
    const std::size_t first = 4 * i + 1;
    Words<L> b = first < 64 ? (c.w[0] >> first) | (c.w[1] << (64 - first)) : c.w[1] >> (first - 64);
    b |= broadcast<L>(i == 31 ? 8 : 0);
    const Words<L> negative = ((b >> 3) & 1) - 1;
    return select_signed(odd, (b ^ negative) & 7, ~negative);
  };
  const auto h_point = [&](std::size_t i) { return select_signed(h.entries, s.index[i], s.negative[i]); };
  LanePoint<L> sum = lane_identity<L>();
  for (std::size_t position = 128; position-- > 0;) {
    // Not by point_double_add, with which this loop would not fit the first-level instruction cache.
    point_double(sum);
    if (position % 4 == 0) {
      point_add(sum, gamma_point(position / 4));
    }
    if (position < kNumDigits) {
      point_add(sum, h_point(position));
    }
  }
  const LaneCachedPoint<L> identity = point_to_cached(lane_identity<L>());
  const Words<L> give_back = (c.w[0] & 1) - 1;
  const LaneCachedPoint<L> last = {fp2_select(give_back, odd[0].y_plus_x, identity.y_plus_x),
                                   fp2_select(give_back, odd[0].y_minus_x, identity.y_minus_x),
                                   fp2_select(give_back, odd[0].z2, identity.z2),
                                   fp2_select(give_back, odd[0].t2d, identity.t2d)};
  point_add(sum, last);
  return sum;
}

}  // namespace optiks::vrf::lanes
