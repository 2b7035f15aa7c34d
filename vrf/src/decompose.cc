#include "decompose.h"

namespace optiks::vrf {
namespace {

// Rows b1..b4 of the lattice basis modulo 2^64, and the offsets c and c' that make every coordinate positive:
// 0 < v[j] < 2^64 for every 256-bit m, so arithmetic modulo 2^64 is exact.
constexpr u64 kBasis[4][4] = {{0x0906ff27e0a0a196, 0xec9c179d3dd5d260, 0x07426031ecc8030f, 0xf7b08c66794619af},
                              {0x1d495bea84fcc2d4, 0xffffffffffffffff, 0x0000000000000001, 0x25dbc5bc8dd167d0},
                              {0x17abad1d231f0302, 0x02c4211ae388da51, 0xd1b2de3676d83b61, 0x0a9e6f44c02ecd97},
                              {0x136e340a9108c83f, 0x3122df2dc3e0ff32, 0xf975b60fd557564b, 0xe72af7876921f516}};
constexpr u64 kOffset[4] = {0x72482c5251a4559c, 0x59f95b0add276f6c, 0x7dd2d17c4625fa78, 0x6bc57def56ce8877};
constexpr u64 kOffsetPrime[4] = {0x85b6605ce2ad1ddb, 0x8b1c3a38a1086e9e, 0x7748878c1b7d50c3, 0x52f07576bff07d8d};

// L1..L4, below 2^196.
constexpr u64 kRounding[4][4] = {{0x259686e09d1a7d4f, 0xf75682ace6a6bd66, 0xfc5bb5c5ea2be5df, 0x0000000000000007},
                                 {0xd1ba1d84dd627afb, 0x2bd235580f468d8d, 0x8fd4b04caa6c0f8a, 0x0000000000000003},
                                 {0x9b291a33678c203c, 0xc42bd6c965dca902, 0xd038bf8d0bffbaf6, 0x0000000000000000},
                                 {0x12e5666b77e7fdc0, 0x81cbdc3714983d82, 0x1b073877a22d8410, 0x0000000000000003}};

// Bits 256..319 of l*m: floor(l*m / 2^256) modulo 2^64.
u64 multiply_high(const u64 (&l)[4], const Scalar& m) {
  std::array<u64, 5> t{};
  for (std::size_t i = 0; i < 4; ++i) {
    u64 carry = 0;
    for (std::size_t j = 0; i + j < 5; ++j) {
      const u128 s = (j < 4 ? mul_64x64(l[i], m.w[j]) : u128{0}) + t[i + j] + carry;
      t[i + j] = low64(s);
      carry = high64(s);
    }
  }
  const u64 result = t[4];
  base::zeroize(t.data(), sizeof(t));
  return result;
}

}  // namespace

MiniScalars decompose(const Scalar& m) {
  MiniScalars out{{m.w[0], 0, 0, 0}};
  for (std::size_t k = 0; k < 4; ++k) {
    const u64 t = multiply_high(kRounding[k], m);
    for (std::size_t j = 0; j < 4; ++j) {
      out.v[j] -= t * kBasis[k][j];
    }
  }
  // The first coordinates of c and c' differ by an odd number: exactly one choice makes v[0] odd.
  const u64 use_offset = base::ct_mask((out.v[0] + kOffset[0]) & 1);
  for (std::size_t j = 0; j < 4; ++j) {
    out.v[j] += base::ct_select(use_offset, kOffset[j], kOffsetPrime[j]);
  }
  return out;
}

Digits recode(const MiniScalars& scalars) {
  Digits out;
  auto v = scalars.v;
  for (std::size_t i = 0; i + 1 < kNumDigits; ++i) {
    v[0] >>= 1;
    const u64 positive = v[0] & 1;  // bit i + 1 of the odd first part; bit 64 counts as 0
    out.sign_mask[i] = base::ct_mask(positive ^ 1);
    u64 index = 0;
    for (std::size_t j = 1; j < 4; ++j) {
      const u64 bit = v[j] & 1;
      index |= bit << (j - 1);
      v[j] = (v[j] >> 1) + (bit & (positive ^ 1));  // a digit -1 is repaid one position up
    }
    out.index[i] = static_cast<std::uint8_t>(index);
  }
  out.sign_mask[kNumDigits - 1] = 0;
  out.index[kNumDigits - 1] = static_cast<std::uint8_t>(v[1] | (v[2] << 1) | (v[3] << 2));
  base::zeroize(v.data(), sizeof(v));
  return out;
}

}  // namespace optiks::vrf
