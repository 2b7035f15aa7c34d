#include "scalar.h"

namespace optiks::vrf {
namespace {

using Words = std::array<u64, 4>;

constexpr Scalar kRModN = {
    {0xdbbd257a49e0f920, 0x9a5e224be13735bb, 0x0000000000000005, 0x0000000000000000}};  // 2^256 mod N
constexpr Scalar kRRModN = {
    {0xc81db8795ff3d621, 0x173ea5aaea6b387d, 0x3d01b7c72136f61c, 0x0006a5f16ac8f9d3}};  // 2^512 mod N
constexpr u64 kMinusNInverse = 0xe12fe5f079bc3929;                                      // -1/N mod 2^64

// A 256-bit integer in registers. With words in memory, sums and differences would wait for their own stores.
struct Halves {
  u128 low, high;
};

OPTIKS_INLINE Halves halves_of(const Words& a) { return {make_u128(a[1], a[0]), make_u128(a[3], a[2])}; }
OPTIKS_INLINE Words words_of(const Halves& a) { return {low64(a.low), high64(a.low), low64(a.high), high64(a.high)}; }

// Returns a + b. Callers make sure that the sum is below 2^256.
OPTIKS_INLINE Halves add(const Halves& a, const Halves& b) {
  const u128 low = a.low + b.low;
  return {low, a.high + b.high + base::value_barrier(static_cast<u64>(low < a.low))};
}

// Returns a - b, and sets the borrow. b is below 2^255.
OPTIKS_INLINE Halves subtract(u64& borrow, const Halves& a, const Halves& b) {
  const u128 high = b.high + base::value_barrier(static_cast<u64>(a.low < b.low));
  borrow = base::value_barrier(static_cast<u64>(a.high < high));
  return {a.low - b.low, a.high - high};
}

// Returns `a` if `mask` is all ones, and 0 if `mask` is zero.
OPTIKS_INLINE Halves masked(u64 mask, const Halves& a) {
  const u128 both = make_u128(mask, mask);
  return {a.low & both, a.high & both};
}

// Reduces `a` from [0, 2N) to [0, N).
OPTIKS_INLINE Scalar subtract_order_once(const Halves& a) {
  u64 is_below;
  const Halves reduced = subtract(is_below, a, halves_of(kOrder.w));
  return {words_of(add(reduced, masked(base::ct_mask(is_below), halves_of(kOrder.w))))};
}

// The accumulator of a Montgomery multiplication, word by word (CIOS). The value is always below 2^320.
struct Accumulator {
  std::array<u64, 5> t{};

  ~Accumulator() { base::zeroize(t.data(), sizeof(t)); }

  // Adds word*b.
  OPTIKS_INLINE void add(u64 word, const Scalar& b) {
    u64 carry = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const u128 s = mul_64x64(word, b.w[j]) + t[j] + carry;
      t[j] = low64(s);
      carry = high64(s);
    }
    t[4] += carry;
  }

  // Adds the multiple of N that makes the sum divisible by 2^64, and divides the sum by 2^64.
  OPTIKS_INLINE void reduce() {
    const u64 m = t[0] * kMinusNInverse;
    u64 carry = high64(mul_64x64(m, kOrder.w[0]) + t[0]);
    for (std::size_t j = 1; j < 4; ++j) {
      const u128 s = mul_64x64(m, kOrder.w[j]) + t[j] + carry;
      t[j - 1] = low64(s);
      carry = high64(s);
    }
    const u128 s = static_cast<u128>(t[4]) + carry;
    t[3] = low64(s);
    t[4] = high64(s);
  }

  // Returns the value modulo N, in [0, N). The value must be below 2N.
  [[nodiscard]] OPTIKS_INLINE Scalar value() const { return subtract_order_once(halves_of({t[0], t[1], t[2], t[3]})); }
};

// Returns a*b/2^(64 n) modulo N, where n is NumWords. With a < 2^(64 n) and b < N, the value before the last
// subtraction is below (2^(64 n) N + 2^(64 n) N)/2^(64 n) = 2N.
template <std::size_t NumWords>
Scalar montgomery_mul(const std::array<u64, NumWords>& a, const Scalar& b) {
  Accumulator sum;
  for (const u64 word : a) {
    sum.add(word, b);
    sum.reduce();
  }
  return sum.value();
}
Scalar montgomery_mul(const Scalar& a, const Scalar& b) { return montgomery_mul(a.w, b); }

}  // namespace

Scalar scalar_from_bytes_unchecked(std::span<const std::uint8_t, 32> bytes) {
  Scalar out;
  for (std::size_t i = 0; i < 4; ++i) {
    out.w[i] = base::load_le64(bytes.data() + 8 * i);
  }
  return out;
}

void scalar_to_bytes(std::span<std::uint8_t, 32> out, const Scalar& a) {
  for (std::size_t i = 0; i < 4; ++i) {
    base::store_le64(out.data() + 8 * i, a.w[i]);
  }
}

u64 scalar_is_canonical(const Scalar& a) {
  u64 is_below;
  static_cast<void>(subtract(is_below, halves_of(a.w), halves_of(kOrder.w)));
  return is_below;
}

u64 scalar_is_zero(const Scalar& a) { return base::ct_is_zero(a.w[0] | a.w[1] | a.w[2] | a.w[3]); }

// Computes a * (2^256 mod N) / 2^256.
Scalar scalar_reduce(const Scalar& a) { return montgomery_mul(a, kRModN); }

// Computes (low (2^256 mod N) + high (2^512 mod N))/2^256, with both products in one sum. The factors are below N/4, so
// the sum of the two products stays below 2N, as a single product does.
Scalar scalar_reduce_wide(std::span<const std::uint8_t, 64> bytes) {
  const base::Zeroizing<Scalar> low(scalar_from_bytes_unchecked(bytes.first<32>()));
  const base::Zeroizing<Scalar> high(scalar_from_bytes_unchecked(bytes.last<32>()));
  static_assert(kRModN.w[3] < kOrder.w[3] / 4 && kRRModN.w[3] < kOrder.w[3] / 4);
  Accumulator sum;
  for (std::size_t i = 0; i < 4; ++i) {
    sum.add(low->w[i], kRModN);
    sum.add(high->w[i], kRRModN);
    sum.reduce();
  }
  return sum.value();
}

Scalar scalar_add(const Scalar& a, const Scalar& b) { return subtract_order_once(add(halves_of(a.w), halves_of(b.w))); }

Scalar scalar_mul(const Scalar& a, const Scalar& b) {
  const base::Zeroizing<Scalar> product(montgomery_mul(a, b));
  return montgomery_mul(*product, kRRModN);
}

ShiftedScalar scalar_shifted(const Scalar& b) {
  constexpr Scalar kShift = {{0, 0, 1, 0}};
  return {scalar_mul(kShift, b)};
}

Scalar scalar_mul_short(const std::array<u64, 2>& a, const ShiftedScalar& b) { return montgomery_mul(a, b.value); }

// If the sum is odd, adding N makes it even.
Scalar scalar_half_sum(const Scalar& a, const Scalar& b) {
  const Halves sum = add(halves_of(a.w), halves_of(b.w));
  const Halves even = add(sum, masked(base::ct_mask(low64(sum.low) & 1), halves_of(kOrder.w)));
  return {words_of({(even.low >> 1) | (even.high << 127), even.high >> 1})};
}

}  // namespace optiks::vrf
