// Multiplications of points, in lanes.
#pragma once

#include "comb.h"
#include "kernel.h"
#include "lane_point.h"

namespace optiks::vrf::lanes {

// A 256-bit integer in each lane (GroupScalar in kernel.h).
template <typename L>
struct LaneScalar {
  Words<L> w[4];
};

// The digits of each lane's scalar as bits (decompose.h).
template <typename L>
using LaneDigits = MiniScalarBits<Words<L>>;

template <typename L>
OPTIKS_INLINE LaneDigits<L> recode(const LaneScalar<L>& parts) {
  return mini_scalar_bits(parts.w[0], parts.w[1], parts.w[2], parts.w[3]);
}

template <typename L>
OPTIKS_INLINE IndexMasks<L> index_at(const LaneDigits<L>& digits, std::size_t i) {
  return {{L::bit_mask(digits.index[0], i), L::bit_mask(digits.index[1], i), L::bit_mask(digits.index[2], i)}};
}

// The MulTable of each lane's point (scalar_mul.h).
template <typename L>
struct LaneMulTable {
  LaneCachedEntry<L> entries[8];
};

template <typename L>
[[gnu::noinline]] void make_table(LaneMulTable<L>& table, const LanePoint<L>& point) {
  fill_mul_table(table.entries, point, [](const LanePoint<L>& sum) { return entry_of(sum); });
}

// A LaneMulTable whose points have Z = 1. The affine table saves a product in each of 63 additions, and a quarter of
// the loads of each selection. In exchange, making the table takes five more products for each entry, and a share of an
// inversion.
template <typename L>
struct LaneAffineTable {
  LaneAffineEntry<L> entries[8];
};

// The tables of several groups, which share one inversion (Montgomery's trick). The code makes the tables affine one
// after another, from the last to the first, so that only one affine table is in memory at a time.
template <typename L>
struct LaneMulTables {
  struct Entry {
    LaneFp2<L, 1> x, y, z;
    LaneFp2<L, 1> product;  // the product of all z before this one
  };
  Entry entries[kMaxGroups][8];
  LaneFp2<L, 1> inverse;  // the inverse of the product of all z of the remaining tables
};

// Makes the tables of num_groups groups. point(i) returns the point of group i.
template <typename L, typename GetPoint>
[[gnu::noinline]] void make_tables(LaneMulTables<L>& tables, std::size_t num_groups, const GetPoint& point) {
  auto product = fp2_broadcast<L>(kFp2One);
  mul_table_sums<LaneField<L>, kMaxGroups>(num_groups, point, [&](std::size_t i, const LanePoint<L>(&sums)[8]) {
    for (std::size_t j = 0; j < 8; ++j) {
      tables.entries[i][j] = {sums[j].x, sums[j].y, sums[j].z, product};
      product = fp2_mul(product, sums[j].z);  // z is never 0, because the group law is complete
    }
  });
  tables.inverse = fp2_invert(product);
}

// Makes table i affine. It must be the last of the remaining tables.
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

// Returns the sum of the digits times their entries. index(i) returns the index of digit i. change(i) returns a mask
// that is all ones where the sign of digit i differs from the sign of digit i - 1. The sign below digit 0 is +. The sum
// is kept with the sign of the next digit, so that entries are added unchanged: changing the sign of a sum takes a
// quarter of the time of changing the sign of an entry. Cost: 62 doublings and 62 additions.
template <typename L, typename Index, typename Change>
OPTIKS_INLINE LanePoint<L> mul_digits(const LaneAffineTable<L>& table, const Index& index, const Change& change) {
  LanePoint<L> sum = point_of<L>(select<L>(table.entries, index(kNumDigits - 1)), change(kNumDigits - 1));
  for (std::size_t i = kNumDigits - 1; i-- > 0;) {
    point_double(sum);
    point_add(sum, table.entries, index(i), change(i));
  }
  return sum;
}

template <typename L>
[[gnu::noinline]] LanePoint<L> mul_same(const LaneAffineTable<L>& table, const Digits& digits) {
  const auto index = [&](std::size_t i) {
    const auto mask = [&](std::size_t bit) { return broadcast<L>(digits.index_mask[bit][i]); };
    return IndexMasks<L>{{mask(0), mask(1), mask(2)}};
  };
  return mul_digits(table, index, [&](std::size_t i) {
    return broadcast<L>(digits.sign_mask[i] ^ (i == 0 ? 0 : digits.sign_mask[i - 1]));
  });
}

template <typename L>
[[gnu::noinline]] LanePoint<L> mul_each(const LaneAffineTable<L>& table, const LaneDigits<L>& digits) {
  const Words<L> changes = digits.negative ^ (digits.negative << 1);
  return mul_digits(
      table, [&](std::size_t i) { return index_at<L>(digits, i); },
      [&](std::size_t i) { return L::bit_mask(changes, i); });
}

// Returns bit `position` of each lane's integer.
template <typename L>
OPTIKS_INLINE Words<L> bit_at(const LaneScalar<L>& bits, std::size_t position) {
  return (bits.w[position / 64] >> (position % 64)) & 1;
}

// Returns the point of one column of a block, or its negative in the lanes where `minus` is all ones.
template <typename L, typename Limbs, std::size_t NumTeeth, std::size_t NumBlocks>
OPTIKS_INLINE auto column_point(const CombTable<Limbs, NumTeeth, NumBlocks>& table, std::size_t block,
                                const LaneScalar<L>& bits, std::size_t tooth_len, std::size_t position,
                                Words<L> minus) {
  // Table entries are for a positive top tooth. Where the top tooth is negative, the code flips all signs and negates
  // the entry.
  const Words<L> negative = bit_at(bits, position + (NumTeeth - 1) * tooth_len) - 1;
  Words<L> index{};
  for (std::size_t tooth = 0; tooth + 1 < NumTeeth; ++tooth) {
    index |= (bit_at(bits, position + tooth * tooth_len) ^ (negative & 1)) << tooth;
  }
  const auto& words = table.words[block];
  const LaneAffineEntry<L> entry = {lookup<L>(words[0], index), lookup<L>(words[1], index), lookup<L>(words[2], index)};
  return negated_if(negative ^ minus, entry);
}

// Returns k*G. Cost: 6 doublings and 41 additions.
template <typename L>
[[gnu::noinline]] LanePoint<L> generator_mul(const GeneratorComb<typename L::Limbs>& table, const LaneScalar<L>& bits) {
  const auto point = [&](std::size_t block, std::size_t column) {
    return column_point<L>(table, block, bits, kGeneratorTooth, block * kNumColumns + column, Words<L>{});
  };
  LanePoint<L> sum = point_of<L>(point(0, kNumColumns - 1), Words<L>{});
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

// Returns a constant affine point in the lanes where `mask` is all ones, and the identity (1, 1, 0) in the other lanes.
template <typename L>
OPTIKS_INLINE LaneAffineEntry<L> affine_or_identity(Words<L> mask, const AffinePoint& point) {
  const auto choose = [&](const Fp2& coordinate, const Fp2& of_identity) {
    return table_form(fp2_select(mask, fp2_broadcast<L>(coordinate), fp2_broadcast<L>(of_identity)));
  };
  return {choose(point.y_plus_x, kFp2One), choose(point.y_minus_x, kFp2One), choose(point.t2d, kFp2Zero)};
}

// Returns s*G - c*Y, for every point Y of the curve. The comb multiplies Y by the odd one of c and c + 1; where that is
// c + 1, the function adds Y again. Cost: 6 doublings and 69 additions.
template <typename L>
[[gnu::noinline]] LanePoint<L> generator_minus(const GeneratorComb<typename L::Limbs>& g, const LaneScalar<L>& s_bits,
                                               const ChallengeCombs& y, const LaneScalar<L>& c) {
  const auto& challenge = y.in<typename L::Limbs>();
  // These bits are (c + 2^130 - 1)/2 for an odd c.
  const LaneScalar<L> c_bits = {{(c.w[0] >> 1) | (c.w[1] << 63), c.w[1] >> 1, broadcast<L>(2), Words<L>{}}};
  LanePoint<L> sum = lane_identity<L>();
  for (std::size_t column = kNumColumns; column-- > 0;) {
    if (column + 1 < kNumColumns) {
      point_double(sum);
    }
    for (std::size_t block = 0; block < GeneratorComb<typename L::Limbs>::kNumBlocks; ++block) {
      point_add(sum, column_point<L>(g, block, s_bits, kGeneratorTooth, block * kNumColumns + column, Words<L>{}));
    }
    for (std::size_t block = 0;
         block < ChallengeComb<typename L::Limbs>::kNumBlocks && block * kNumColumns + column < kChallengeTooth;
         ++block) {
      point_add(sum,
                column_point<L>(challenge, block, c_bits, kChallengeTooth, block * kNumColumns + column, ~Words<L>{}));
    }
  }
  point_add(sum, affine_or_identity<L>((c.w[0] & 1) - 1, y.y));
  return sum;
}

// Returns s*H - c*Gamma, for H of order N and every point Gamma of the curve. The multiplication by c uses odd digits
// of four bits and no endomorphism. It multiplies Gamma by the odd one of c and c + 1; where that is c + 1, it adds
// Gamma again. Cost: 128 doublings and 97 additions.
template <typename L>
[[gnu::noinline]] LanePoint<L> subgroup_minus_any(const LaneMulTable<L>& h, const LaneDigits<L>& s,
                                                  const LanePoint<L>& gamma, const LaneScalar<L>& c) {
  // The odd multiples 1, 3, ..., 15 of Gamma.
  LaneCachedEntry<L> odd[8];
  LanePoint<L> multiple = gamma;
  point_double(multiple);
  const LaneCachedPoint<L> twice = point_to_cached(multiple);
  multiple = gamma;
  odd[0] = entry_of(multiple);
  for (std::size_t i = 1; i < 8; ++i) {
    point_add(multiple, twice);
    odd[i] = entry_of(multiple);
  }

  // Digit i of c is 2 b - 15, where b is the number in bits 4 i + 1 to 4 i + 4 of c with bit 128 set. The function
  // subtracts the digit's multiple of Gamma, so for a negative digit it adds the point of the table.
  const auto gamma_point = [&](std::size_t i) {
    const std::size_t first = 4 * i + 1;
    Words<L> b = first < 64 ? (c.w[0] >> first) | (c.w[1] << (64 - first)) : c.w[1] >> (first - 64);
    b |= broadcast<L>(i == 31 ? 8 : 0);
    const Words<L> negative = ((b >> 3) & 1) - 1;
    const Words<L> index = b ^ negative;
    return select_signed(odd, {{L::bit_mask(index, 0), L::bit_mask(index, 1), L::bit_mask(index, 2)}}, ~negative);
  };
  const auto h_point = [&](std::size_t i) {
    return select_signed(h.entries, index_at<L>(s, i), L::bit_mask(s.negative, i));
  };
  LanePoint<L> sum = lane_identity<L>();
  for (std::size_t position = 128; position-- > 0;) {
    // The code does not use point_double_add here, because this loop would then exceed the first-level instruction
    // cache.
    point_double(sum);
    if (position % 4 == 0) {
      point_add(sum, gamma_point(position / 4));
    }
    if (position < kNumDigits) {
      point_add(sum, h_point(position));
    }
  }
  const LaneCachedEntry<L> identity = entry_of(lane_identity<L>());
  const Words<L> give_back = (c.w[0] & 1) - 1;
  const LaneCachedEntry<L> last = {fp2_select(give_back, odd[0].y_plus_x, identity.y_plus_x),
                                   fp2_select(give_back, odd[0].y_minus_x, identity.y_minus_x),
                                   fp2_select(give_back, odd[0].z2, identity.z2),
                                   fp2_select(give_back, odd[0].t2d, identity.t2d)};
  point_add(sum, last);
  return sum;
}

}  // namespace optiks::vrf::lanes
