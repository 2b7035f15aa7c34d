// Hashes messages with AVX2 instructions. Call the function only if the machine can run this kernel (kernel.h).
#include "blake2b_lanes.h"

namespace optiks::base::internal {

#ifdef __AVX2__

namespace {

// Operands of `vpshufb` that rotate each 64-bit word of a register to the right. Each number selects the source of one
// octet within its half of the register.
alignas(32) constexpr std::uint8_t kRotatedBy16[32] = {2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9,
                                                       2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9};
alignas(32) constexpr std::uint8_t kRotatedBy24[32] = {3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10,
                                                       3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10};

// The shuffle reads its operand from memory, because the working words fill all registers. If the operand took a
// register, the compiler would spill a working word to memory, and reloading the word takes ten cycles (Zen 3).
[[gnu::always_inline]] inline Words4 shuffled(Words4 x, const std::uint8_t (&octets)[32]) {
  Words4 out;
  __asm__("vpshufb %2, %1, %0" : "=x"(out) : "x"(x), "m"(octets));
  return out;
}

// AVX2 has no rotate instruction, so three of the four rotations are shuffles.
template <int N>
[[gnu::always_inline]] inline Words4 rotated(Words4 x) {
  if constexpr (N == 32) {
    using Halves [[gnu::vector_size(32)]] = std::uint32_t;
    const auto in = reinterpret_cast<Halves>(x);
    return reinterpret_cast<Words4>(OPTIKS_SHUFFLE(in, in, 1, 0, 3, 2, 5, 4, 7, 6));
  } else if constexpr (N == 63) {
    return (x >> 63) | (x + x);
  } else {
    static_assert(N == 16 || N == 24);
    return shuffled(x, N == 16 ? kRotatedBy16 : kRotatedBy24);
  }
}

// References to four words, one for each mix of half a round. With copies instead of references, the compiler generates
// worse code.
template <typename Word>
struct Row {
  Word& w0;
  Word& w1;
  Word& w2;
  Word& w3;
};

template <typename Word>
[[gnu::always_inline]] inline void add(Row<Words4> a, Row<Word> b) {
  a.w0 += b.w0;
  a.w1 += b.w1;
  a.w2 += b.w2;
  a.w3 += b.w3;
}

template <int N>
[[gnu::always_inline]] inline void xor_and_rotate(Row<Words4> a, Row<Words4> b) {
  a.w0 ^= b.w0;
  a.w1 ^= b.w1;
  a.w2 ^= b.w2;
  a.w3 ^= b.w3;
  a.w0 = rotated<N>(a.w0);
  a.w1 = rotated<N>(a.w1);
  a.w2 = rotated<N>(a.w2);
  a.w3 = rotated<N>(a.w3);
}

// Interleaves the steps of four mixes. If the mixes ran one after another, the processor would execute the oldest mix
// first. The next half of the round needs all four results, so it would wait for the last mix. Half a round would then
// take 27 cycles instead of 21 (Zen 3).
[[gnu::always_inline]] inline void mix_four(Row<Words4> a, Row<Words4> b, Row<Words4> c, Row<Words4> d,
                                            Row<const Words4> x, Row<const Words4> y) {
  add(a, x);
  add(a, b);
  xor_and_rotate<32>(d, a);
  add(c, d);
  add(a, y);
  xor_and_rotate<24>(b, c);
  add(a, b);
  xor_and_rotate<16>(d, a);
  add(c, d);
  xor_and_rotate<63>(b, c);
}

}  // namespace

template <>
struct Rounds<Words4> {
  template <std::size_t Round>
  [[gnu::always_inline]] static void round(Words4 (&v)[16], const Words4 (&m)[16]) {
    constexpr auto& s = kSigma[Round % 10];
    mix_four({v[0], v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7]}, {v[8], v[9], v[10], v[11]},
             {v[12], v[13], v[14], v[15]}, {m[s[0]], m[s[2]], m[s[4]], m[s[6]]}, {m[s[1]], m[s[3]], m[s[5]], m[s[7]]});
    mix_four({v[0], v[1], v[2], v[3]}, {v[5], v[6], v[7], v[4]}, {v[10], v[11], v[8], v[9]},
             {v[15], v[12], v[13], v[14]}, {m[s[8]], m[s[10]], m[s[12]], m[s[14]]},
             {m[s[9]], m[s[11]], m[s[13]], m[s[15]]});
  }
};

#endif

void blake2b_avx2(std::uint8_t* digests, std::size_t digest_len, const std::uint64_t* state, std::uint64_t num_absorbed,
                  const std::uint8_t* slots, std::size_t stride, const std::size_t* lens) {
  hash_lanes<Words4>(digests, digest_len, state, num_absorbed, slots, stride, lens);
}

}  // namespace optiks::base::internal
