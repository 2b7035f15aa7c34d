// Multiplies the generator by a scalar k with a signed comb (Hamburg, eprint 2012/309 section 3.3). Let b be a
// representative of (k + 2^250 - 1)/2 mod N below 2^250. Then k = sum of +-2^i over i < 250 (mod N), with + where bit i
// of b is set. The comb has five teeth of 50 bits, each split into five blocks of 10 columns.
#include "base_tables.h"
#include "scalar_mul.h"
#include "table_select.h"

namespace optiks::vrf {
namespace {

constexpr std::size_t kNumTeeth = 5;
constexpr std::size_t kToothBits = 50;
constexpr std::size_t kNumBlocks = 5;
constexpr std::size_t kNumColumns = 10;

// 2^250 - 1 mod N.
constexpr Scalar kAllOnes = {{0x87481e9d4ce2ca57, 0x0647f8b02e8c99a3, 0x7829cbc14e5e0a73, 0x0014e5e0a72f0539}};

u64 bit_of(const Scalar& a, std::size_t i) { return (a.w[i / 64] >> (i % 64)) & 1; }

}  // namespace

Point fixed_base_mul(const Scalar& k) {
  const base::Zeroizing<Scalar> reduced(scalar_reduce(k));
  const base::Zeroizing<Scalar> b(scalar_half_sum(*reduced, kAllOnes));
  Point sum = kIdentity;
  for (std::size_t column = kNumColumns; column-- > 0;) {
    if (column + 1 < kNumColumns) {
      point_double(sum);
    }
    for (std::size_t block = 0; block < kNumBlocks; ++block) {
      const std::size_t position = block * kNumColumns + column;
      // Table entries are for a positive top tooth. If the top tooth is negative, the code flips all signs and negates
      // the entry.
      const u64 negative = bit_of(*b, position + (kNumTeeth - 1) * kToothBits) ^ 1;
      u64 index = 0;
      for (std::size_t tooth = 0; tooth + 1 < kNumTeeth; ++tooth) {
        index |= (bit_of(*b, position + tooth * kToothBits) ^ negative) << tooth;
      }
      point_add(sum, table_select(kCombTable[block], index, base::ct_mask(negative)));
    }
  }
  return sum;
}

}  // namespace optiks::vrf
