#include "decompose.h"

namespace optiks::vrf {
namespace {

// A basis, modulo 2^64, of a sublattice of the lattice of zero: the vectors (v[0], ..., v[3]) whose first coordinate is
// even. In the coordinates v[0] and 2 v[j] - v[0], the basis minimizes half the sum of the absolute values of its four
// vectors. This half sum is at most 0.61*2^63.
constexpr u64 kBasis[4][4] = {{0x1d495bea84fcc2d4, 0xffffffffffffffff, 0x0000000000000001, 0x25dbc5bc8dd167d0},
                              {0x0906ff27e0a0a196, 0xec9c179d3dd5d260, 0x07426031ecc8030f, 0xf7b08c66794619af},
                              {0xfa6251329e22402e, 0x02c4211ae388da52, 0xd1b2de3676d83b60, 0xe4c2a988325d65c7},
                              {0x7013cddf6e89778e, 0x4c1db4dde20ef670, 0x287aee1b209e7447, 0x2cfb5d6634cf6db4}};

// Minus half of the sum of the last three rows of kBasis. It is a vector of the lattice whose first coordinate is odd,
// and is added for an even scalar. The addition subtracts one half from the coefficients of these rows, so that cutting
// rounds the coefficients to the nearest integers.
constexpr u64 kOddVector[4] = {0xc64170e30959d357, 0xe2410934fe492e6f, 0xff47e9be3de0a6a5, 0xfb48b6558fc6896b};
constexpr u64 kIsHalf[4] = {0, 1, 1, 1};

// The coefficients of (1, 0, 0, 0) in the basis, times 2^256, rounded to the nearest integers, which are below 2^195.
// For every 256-bit scalar this rounding changes the result by less than 0.21*2^63.
constexpr u64 kRounding[4][4] = {{0x59fdd14ccd069d78, 0x6e322fea608af90e, 0x45063762143e4670, 0x0000000000000001},
                                 {0x1c23d3aae1267e6f, 0xb67094915c5a9ea5, 0x6ed8198a191523d7, 0x0000000000000006},
                                 {0xa49bcd6923801f1c, 0x0511c4e4f028c7c3, 0x5dbc5bc8dd167cff, 0x0000000000000002},
                                 {0x0972b335bbf3fee0, 0x40e5ee1b8a4c1ec1, 0x8d839c3bd116c208, 0x0000000000000001}};

// Returns floor(l*m / 2^256 + halves/2) modulo 2^64, with halves 0 or 1. The result is too small by one if the parts
// that are cut off would have carried. These parts are the lower halves of three products, and the three products of
// the two columns below them. Together they are less than 6*2^192, compared with 2^256.
u64 multiply_high(const u64 (&l)[4], const Scalar& m, u64 halves) {
  u128 units = halves << 63;  // the sum in units of 2^192
  u64 result = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (i < 3) {
      units += high64(mul_64x64(l[i], m.w[2 - i]));
    }
    const u128 product = mul_64x64(l[i], m.w[3 - i]);
    units += low64(product);
    result += high64(product);
    if (i > 0) {
      result += l[i] * m.w[4 - i];
    }
  }
  return result + high64(units);
}

}  // namespace

MiniScalars decompose(const Scalar& m) {
  const u64 is_even = (m.w[0] & 1) ^ 1;
  MiniScalars out{{m.w[0], 0, 0, 0}};
  for (std::size_t k = 0; k < 4; ++k) {
    const u64 t = multiply_high(kRounding[k], m, 1 ^ (is_even & kIsHalf[k]));
    for (std::size_t j = 0; j < 4; ++j) {
      out.v[j] -= t * kBasis[k][j];
    }
  }
  for (std::size_t j = 0; j < 4; ++j) {
    out.v[j] += base::ct_mask(is_even) & kOddVector[j];
  }
  return out;
}

Digits recode(const MiniScalars& scalars) {
  auto bits = mini_scalar_bits(scalars.v[0], scalars.v[1], scalars.v[2], scalars.v[3]);
  Digits out;
  for (std::size_t i = 0; i < kNumDigits; ++i) {
    const auto mask = [i](u64 word) { return base::ct_mask((word >> i) & 1); };
    out.sign_mask[i] = mask(bits.negative);
    for (std::size_t j = 0; j < 3; ++j) {
      out.index_mask[j][i] = mask(bits.index[j]);
    }
  }
  base::zeroize(&bits, sizeof(bits));
  return out;
}

}  // namespace optiks::vrf
