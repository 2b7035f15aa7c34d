// The compression function of BLAKE2b (RFC 7693). Its word type is one 64-bit word, or a vector of 64-bit words. All
// functions are always inlined. Otherwise a file compiled for newer processors would contain copies of them, and the
// linker could use these copies in code for older processors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "optiks/base/kernel.h"

namespace optiks::base::internal {

using Blake2bState = std::array<std::uint64_t, 8>;

// The initialization vector (RFC 7693 section 2.6).
inline constexpr std::uint64_t kBlake2bIv[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                                0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                                0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// The message schedule (RFC 7693 section 2.7). Rounds 10 and 11 repeat the schedule of rounds 0 and 1.
inline constexpr std::uint8_t kSigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

template <int N, typename Word>
[[gnu::always_inline]] inline Word rotated_right(Word x) {
  return (x >> N) | (x << (64 - N));
}

template <typename Word>
[[gnu::always_inline]] inline void mix(Word& a, Word& b, Word& c, Word& d, const Word& x, const Word& y) {
  a += b + x;
  d = rotated_right<32>(d ^ a);
  c += d;
  b = rotated_right<24>(b ^ c);
  a += b + y;
  d = rotated_right<16>(d ^ a);
  c += d;
  b = rotated_right<63>(b ^ c);
}

// Computes one round. The message schedule is a template parameter, so every index is a constant and the compiler keeps
// the sixteen working words in registers. A file may specialize `Rounds` for its own vector type.
template <typename Word>
struct Rounds {
  template <std::size_t Round>
  [[gnu::always_inline]] static void round(Word (&v)[16], const Word (&m)[16]) {
    constexpr auto& s = kSigma[Round % 10];
    mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
    mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
    mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
    mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
    mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
    mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
    mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
    mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
  }
};

// The compression function of RFC 7693 section 3.2. The high word of the offset counter is always 0, because inputs are
// shorter than 2^64 octets. `is_last` is all ones for the last block of a message and 0 otherwise.
template <typename Word>
[[gnu::always_inline]] inline void compress(Word (&h)[8], const Word (&m)[16], const Word& counter,
                                            const Word& is_last) {
  Word v[16];
  for (std::size_t i = 0; i < 8; ++i) {
    v[i] = h[i];
    v[i + 8] = Word{} + kBlake2bIv[i];
  }
  v[12] ^= counter;
  v[14] ^= is_last;
  Rounds<Word>::template round<0>(v, m);
  Rounds<Word>::template round<1>(v, m);
  Rounds<Word>::template round<2>(v, m);
  Rounds<Word>::template round<3>(v, m);
  Rounds<Word>::template round<4>(v, m);
  Rounds<Word>::template round<5>(v, m);
  Rounds<Word>::template round<6>(v, m);
  Rounds<Word>::template round<7>(v, m);
  Rounds<Word>::template round<8>(v, m);
  Rounds<Word>::template round<9>(v, m);
  Rounds<Word>::template round<10>(v, m);
  Rounds<Word>::template round<11>(v, m);
  for (std::size_t i = 0; i < 8; ++i) {
    h[i] ^= v[i] ^ v[i + 8];
  }
}

// Returns the first word of the parameter block of sequential mode, with fanout 1 and depth 1 (RFC 7693 section 2.5).
constexpr std::uint64_t blake2b_parameters(std::size_t digest_len, std::size_t key_len) {
  return 0x01010000 ^ (static_cast<std::uint64_t>(key_len) << 8) ^ digest_len;
}

// Compresses one block of one message.
void blake2b_compress(Blake2bState& h, const std::uint8_t* block, std::uint64_t counter, bool is_last);

// The type of functions that hash several messages in one call, one in each lane. Message `i` is the first `lens[i]`
// octets at `slots + i*stride`; `lens[i]` is in [1, `stride`]. Digest `i` has `digest_len` octets and is written to
// `digests + i*digest_len`.
using Blake2bLanes = void(std::uint8_t* digests, std::size_t digest_len, const std::uint64_t* state,
                          std::uint64_t num_absorbed, const std::uint8_t* slots, std::size_t stride,
                          const std::size_t* lens);
// The function blake2b_<name> of each kernel, which is the code of blake2b_lanes.h. Call it only if the machine can run
// the kernel.
#define OPTIKS_DECLARATION(name, Name, hash_lanes, least_batch, instructions) Blake2bLanes blake2b_##name;
OPTIKS_LANE_KERNELS(OPTIKS_DECLARATION)
#undef OPTIKS_DECLARATION

}  // namespace optiks::base::internal
