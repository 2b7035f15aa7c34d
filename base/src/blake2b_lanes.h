// Hashes several messages at a time. Each message occupies one word of the vector types of GCC and clang. Eight
// messages fill an AVX-512 register, and four messages fill an AVX2 register. If the including file is compiled for
// processors without these registers, the compiler splits the vectors. All functions are always inlined
// (blake2b_core.h).
#pragma once

#include <bit>

#include "blake2b_core.h"

namespace optiks::base::internal {

inline constexpr std::size_t kBlockLen = 128;

using Words8 [[gnu::vector_size(64)]] = std::uint64_t;
using Words4 [[gnu::vector_size(32)]] = std::uint64_t;
using Words2 [[gnu::vector_size(16)]] = std::uint64_t;

// BLAKE2b's words are little-endian, and this code copies words between lanes and memory without swapping octets.
static_assert(std::endian::native == std::endian::little);

#define OPTIKS_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

// Transposes a matrix of eight words for each of eight lanes. Before the call a row holds the words of one lane;
// afterwards a row holds the same word of all lanes. Three steps exchange words at distances 1, 2 and 4.
[[gnu::always_inline]] inline void transpose(Words8* rows) {
  Words8 t[8];
  for (std::size_t i = 0; i < 8; i += 2) {
    t[i] = OPTIKS_SHUFFLE(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[i + 1] = OPTIKS_SHUFFLE(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  Words8 s[8];
  for (std::size_t i = 0; i < 8; i += 4) {
    for (std::size_t j = 0; j < 2; ++j) {
      s[i + j] = OPTIKS_SHUFFLE(t[i + j], t[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      s[i + j + 2] = OPTIKS_SHUFFLE(t[i + j], t[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    rows[i] = OPTIKS_SHUFFLE(s[i], s[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    rows[i + 4] = OPTIKS_SHUFFLE(s[i], s[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// Loads the sixteen message words of one block of every lane.
[[gnu::always_inline]] inline void load_blocks(Words8 (&m)[16], const std::uint8_t* slots, std::size_t stride) {
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const std::uint8_t* const in = slots + lane * stride + half * 64;
      __builtin_memcpy(&m[8 * half + lane], in, sizeof(Words8));
    }
    transpose(m + 8 * half);
  }
}

// Loads the sixteen message words of one block of each of four lanes. The transposition needs no exchange at distance
// 2, because each half of a register is loaded from its own lane.
[[gnu::always_inline]] inline void load_blocks(Words4 (&m)[16], const std::uint8_t* slots, std::size_t stride) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 16; i += 2) {
    Words2 in[4];
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < 4; ++lane) {
      __builtin_memcpy(&in[lane], slots + lane * stride + 8 * i, sizeof(Words2));
    }
    const Words4 even = OPTIKS_SHUFFLE(in[0], in[2], 0, 1, 2, 3);
    const Words4 odd = OPTIKS_SHUFFLE(in[1], in[3], 0, 1, 2, 3);
    m[i] = OPTIKS_SHUFFLE(even, odd, 0, 4, 2, 6);
    m[i + 1] = OPTIKS_SHUFFLE(even, odd, 1, 5, 3, 7);
  }
}

// Stores the first `digest_len` octets of every lane's state. Overwrites `h`.
[[gnu::always_inline]] inline void store_digests(std::uint8_t* digests, std::size_t digest_len, Words8 (&h)[8]) {
  transpose(h);
  for (std::size_t lane = 0; lane < 8; ++lane) {
    __builtin_memcpy(digests + lane * digest_len, &h[lane], digest_len);
  }
}

[[gnu::always_inline]] inline void store_digests(std::uint8_t* digests, std::size_t digest_len, Words4 (&h)[8]) {
  Words4 states[4][2];
#pragma GCC unroll 2
  for (std::size_t part = 0; part < 2; ++part) {
    const Words4* const in = h + 4 * part;
    const Words4 even[2] = {OPTIKS_SHUFFLE(in[0], in[1], 0, 4, 2, 6), OPTIKS_SHUFFLE(in[2], in[3], 0, 4, 2, 6)};
    const Words4 odd[2] = {OPTIKS_SHUFFLE(in[0], in[1], 1, 5, 3, 7), OPTIKS_SHUFFLE(in[2], in[3], 1, 5, 3, 7)};
    states[0][part] = OPTIKS_SHUFFLE(even[0], even[1], 0, 1, 4, 5);
    states[1][part] = OPTIKS_SHUFFLE(odd[0], odd[1], 0, 1, 4, 5);
    states[2][part] = OPTIKS_SHUFFLE(even[0], even[1], 2, 3, 6, 7);
    states[3][part] = OPTIKS_SHUFFLE(odd[0], odd[1], 2, 3, 6, 7);
  }
  if (digest_len == sizeof(Words4)) {  // the length of tree hashes; a constant avoids a call of memcpy
    for (std::size_t lane = 0; lane < 4; ++lane) {
      __builtin_memcpy(digests + lane * sizeof(Words4), &states[lane][0], sizeof(Words4));
    }
    return;
  }
  for (std::size_t lane = 0; lane < 4; ++lane) {
    __builtin_memcpy(digests + lane * digest_len, states[lane], digest_len);
  }
}

template <typename Words>
[[gnu::always_inline]] inline void hash_lanes(std::uint8_t* digests, std::size_t digest_len, const std::uint64_t* state,
                                              std::uint64_t num_absorbed, const std::uint8_t* slots, std::size_t stride,
                                              const std::size_t* lens) {
  constexpr std::size_t kLanes = sizeof(Words) / sizeof(std::uint64_t);
  Words len{};
  std::size_t longest = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    len[lane] = lens[lane];
    longest = lens[lane] > longest ? lens[lane] : longest;
  }
  Words h[8];
  for (std::size_t i = 0; i < 8; ++i) {
    h[i] = Words{} + state[i];
  }
  for (std::size_t start = 0; start < longest; start += kBlockLen) {
    Words m[16];
    load_blocks(m, slots + start, stride);
    // Lengths are public, so the compiler may turn comparisons of lengths into branches.
    const Words rest = len - start;  // valid only in the lanes that still have octets
    const auto is_active = reinterpret_cast<Words>(len > Words{} + start);
    const Words is_last = is_active & reinterpret_cast<Words>(rest <= Words{} + kBlockLen);
    const Words absorbed = (is_last & len) | (~is_last & (Words{} + (start + kBlockLen)));
    Words next[8];
    for (std::size_t i = 0; i < 8; ++i) {
      next[i] = h[i];
    }
    compress(next, m, absorbed + num_absorbed, is_last);
    for (std::size_t i = 0; i < 8; ++i) {
      h[i] = (is_active & next[i]) | (~is_active & h[i]);
    }
  }
  store_digests(digests, digest_len, h);
}

}  // namespace optiks::base::internal
