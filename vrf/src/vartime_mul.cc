#include "vartime_mul.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base_tables.h"
#include "decompose.h"
#include "endomorphism.h"
#include "optiks/base/check.h"

namespace optiks::vrf {
namespace {

// Returns the bits [position, position + count) of `words`, with count < 64. Bits beyond the end are 0.
u64 bits_at(std::span<const u64> words, std::size_t position, unsigned count) {
  const std::size_t word = position / 64;
  const unsigned shift = position % 64;
  u64 bits = word < words.size() ? words[word] >> shift : 0;
  if (shift + count > 64 && word + 1 < words.size()) {
    bits |= words[word + 1] << (64 - shift);
  }
  return bits & ((u64{1} << count) - 1);
}

// Writes the odd multiples of a point P: entries[i] = (2 i + 1) P.
template <std::size_t Size>
void odd_multiples(CachedPoint (&entries)[Size], const Point& point) {
  Point twice = point;
  point_double(twice);
  const CachedPoint step = point_to_cached(twice);
  Point multiple = point;
  entries[0] = point_to_cached(multiple);
  for (std::size_t i = 1; i < Size; ++i) {
    point_add(multiple, step);
    entries[i] = point_to_cached(multiple);
  }
}

template <typename Entry, std::size_t Size>
void add_digit_vartime(Point& sum, const Entry (&entries)[Size], int digit) {
  if (digit > 0) {
    point_add(sum, entries[digit >> 1]);
  } else if (digit < 0) {
    point_sub(sum, entries[-digit >> 1]);
  }
}

constexpr unsigned kBlockBits = 32;
constexpr unsigned kAffineWidth = 6;  // 16 odd multiples
constexpr std::size_t kNumBlockDigits = 65;

// The recoded digits of one 32-bit block of a scalar.
using BlockDigits = std::array<std::int8_t, kNumBlockDigits>;

BlockDigits recode_block_vartime(std::span<const u64> words, std::size_t block) {
  BlockDigits digits;
  const u64 value = bits_at(words, block * kBlockBits, kBlockBits);
  wnaf_vartime(digits, std::span(&value, 1), kAffineWidth);
  return digits;
}

}  // namespace

// A window starts at every bit that differs from the carry. A window whose value reaches 2^(w-1) becomes negative, and
// carries 1 into the bits above it.
void wnaf_vartime(std::span<std::int8_t> digits, std::span<const u64> words, unsigned width) {
  OPTIKS_DCHECK(digits.size() > 64 * words.size() && width >= 3 && width <= 7);
  std::fill(digits.begin(), digits.end(), std::int8_t{0});
  u64 carry = 0;
  std::size_t i = 0;
  while (i < digits.size()) {
    if (bits_at(words, i, 1) == carry) {
      ++i;
      continue;
    }
    const int window = static_cast<int>(bits_at(words, i, width) + carry);
    const bool negative = window >= 1 << (width - 1);
    digits[i] = static_cast<std::int8_t>(negative ? window - (1 << width) : window);
    carry = negative ? 1 : 0;
    i += width;
  }
  OPTIKS_DCHECK(carry == 0);
}

Point point_mul_exact_vartime(const Point& point, std::span<const u64> k) {
  CachedPoint multiples[8];
  odd_multiples(multiples, point);
  std::vector<std::int8_t> digits(64 * k.size() + 1);
  wnaf_vartime(digits, k, 5);
  Point sum = kIdentity;
  for (std::size_t i = digits.size(); i-- > 0;) {
    point_double(sum);
    add_digit_vartime(sum, multiples, digits[i]);
  }
  return sum;
}

bool point_in_subgroup_vartime(const Point& point) {
  return point_is_identity(point_mul_exact_vartime(point, kOrder.w)) == 1;
}

// The function uses 12 KB of stack and allocates no memory. If it allocated memory and a later allocation failed, this
// memory would never be freed, because this library is built without exceptions.
ShortMulTable make_short_mul_table_vartime(const Point& point) {
  constexpr std::size_t kNumPoints = std::size_t{4} * 16;
  std::array<Point, kNumPoints> points;
  Point start = point;
  for (std::size_t block = 0; block < 4; ++block) {
    Point twice = start;
    point_double(twice);
    const CachedPoint step = point_to_cached(twice);
    points[block * 16] = start;
    for (std::size_t i = block * 16 + 1; i < (block + 1) * 16; ++i) {
      points[i] = points[i - 1];
      point_add(points[i], step);
    }
    for (unsigned i = 0; i < kBlockBits; ++i) {
      point_double(start);
    }
  }
  std::array<Fp2, kNumPoints> z_inverses;
  std::array<Fp2, kNumPoints> scratch;
  for (std::size_t i = 0; i < kNumPoints; ++i) {
    z_inverses[i] = points[i].z;
  }
  fp2_invert_many(z_inverses.data(), scratch.data(), kNumPoints);
  ShortMulTable table;
  for (std::size_t i = 0; i < kNumPoints; ++i) {
    table.entries[i / 16][i % 16] = point_to_affine(points[i], z_inverses[i]);
  }
  return table;
}

Point generator_minus_vartime(const Scalar& s, Challenge c, const ShortMulTable& y) {
  std::array<BlockDigits, 8> s_digits;
  std::array<BlockDigits, 4> c_digits;
  for (std::size_t block = 0; block < 8; ++block) {
    s_digits[block] = recode_block_vartime(s.w, block);
  }
  for (std::size_t block = 0; block < 4; ++block) {
    c_digits[block] = recode_block_vartime(c, block);
  }
  Point sum = kIdentity;
  for (std::size_t i = kBlockBits + 1; i-- > 0;) {  // up to digit 32, which a carry may reach
    point_double(sum);
    for (std::size_t block = 0; block < 8; ++block) {
      add_digit_vartime(sum, kOddMultiples[block], s_digits[block][i]);
    }
    for (std::size_t block = 0; block < 4; ++block) {
      add_digit_vartime(sum, y.entries[block], -c_digits[block][i]);
    }
  }
  return sum;
}

Point subgroup_minus_any_vartime(const Scalar& s, const Point& h, Challenge c, const Point& gamma) {
  constexpr unsigned kGammaWidth = 5;
  constexpr unsigned kHWidth = 4;
  CachedPoint gamma_multiples[8];
  odd_multiples(gamma_multiples, gamma);
  std::array<std::int8_t, 129> c_digits;
  wnaf_vartime(c_digits, c, kGammaWidth);

  CachedPoint h_multiples[4][4];
  const Isogenous<SingleField> isogenous = point_tau(h);
  const Point phi = phi_of_tau(isogenous);
  odd_multiples(h_multiples[0], h);
  odd_multiples(h_multiples[1], phi);
  odd_multiples(h_multiples[2], psi_of_tau(isogenous));
  odd_multiples(h_multiples[3], psi_of_tau(point_tau(phi)));
  const MiniScalars parts = decompose(s);
  std::array<std::array<std::int8_t, 65>, 4> s_digits;
  for (std::size_t j = 0; j < 4; ++j) {
    const bool is_negative = parts.v[j] >> 63 != 0;
    const u64 magnitude = is_negative ? u64{0} - parts.v[j] : parts.v[j];
    wnaf_vartime(s_digits[j], std::span(&magnitude, 1), kHWidth);
    if (is_negative) {
      for (std::int8_t& digit : s_digits[j]) {
        digit = static_cast<std::int8_t>(-digit);
      }
    }
  }

  Point sum = kIdentity;
  for (std::size_t i = c_digits.size(); i-- > 0;) {
    point_double(sum);
    add_digit_vartime(sum, gamma_multiples, -c_digits[i]);
    if (i < s_digits[0].size()) {
      for (std::size_t j = 0; j < 4; ++j) {
        add_digit_vartime(sum, h_multiples[j], s_digits[j][i]);
      }
    }
  }
  return sum;
}

}  // namespace optiks::vrf
