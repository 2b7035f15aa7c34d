#include "optiks/base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace optiks::base {
namespace {

constexpr std::size_t kBlockLen = 64;

// The round constants (FIPS 180-4 section 4.2.2).
constexpr std::uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void compress(std::array<std::uint32_t, 8>& state, const std::uint8_t* block) {
  std::uint32_t w[64];
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = load_be32(block + 4 * i);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t t1 = h + sum1 + choice + kRoundConstants[i] + w[i];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + sum0 + majority;
  }
  const std::uint32_t working[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) {
    state[i] += working[i];
  }
}

}  // namespace

// The initial hash value (FIPS 180-4 section 5.3.3).
Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

Sha256& Sha256::update(ByteSpan data) {
  std::size_t fill = num_octets_ % kBlockLen;
  num_octets_ += data.size();
  while (!data.empty()) {
    if (fill == 0 && data.size() >= kBlockLen) {
      compress(state_, data.data());
      data = data.subspan(kBlockLen);
      continue;
    }
    const std::size_t take = std::min(data.size(), kBlockLen - fill);
    std::memcpy(buffer_.data() + fill, data.data(), take);
    data = data.subspan(take);
    fill += take;
    if (fill == kBlockLen) {
      compress(state_, buffer_.data());
      fill = 0;
    }
  }
  return *this;
}

void Sha256::finish(std::span<std::uint8_t, kSha256DigestLen> out) {
  const std::uint64_t num_bits = num_octets_ * 8;
  const std::size_t fill = num_octets_ % kBlockLen;
  // The padding is 0x80, then zeros until the length is 56 octets modulo 64, then the number of bits.
  std::uint8_t padding[72] = {0x80};
  const std::size_t padding_len = (fill < 56 ? 56 : 120) - fill;
  store_be64(padding + padding_len, num_bits);
  update(ByteSpan(padding, padding_len + 8));
  for (std::size_t i = 0; i < 8; ++i) {
    store_be32(out.data() + 4 * i, state_[i]);
  }
}

void sha256(std::span<std::uint8_t, kSha256DigestLen> out, ByteSpan data) { Sha256().update(data).finish(out); }

}  // namespace optiks::base
