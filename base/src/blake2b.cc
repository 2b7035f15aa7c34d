#include "optiks/base/blake2b.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "optiks/base/check.h"
#include "optiks/base/secret.h"

namespace optiks::base {
namespace {

using State = std::array<std::uint64_t, 8>;

// RFC 7693 section 2.6.
constexpr State kIv = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                       0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// RFC 7693 section 2.7; rounds 10 and 11 repeat rounds 0 and 1.
constexpr std::uint8_t kSigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

[[gnu::always_inline]] inline void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d,
                                       std::uint64_t x, std::uint64_t y) {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

// One round with the message schedule as template parameter: every index is then a constant and the sixteen
// working words stay in registers.
template <std::size_t Round>
[[gnu::always_inline]] inline void round(std::uint64_t (&v)[16], const std::uint64_t (&m)[16]) {
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

// RFC 7693 section 3.2 with the high word of the offset counter fixed to 0 (inputs are shorter than 2^64).
void compress(State& h, const std::uint8_t* block, std::uint64_t counter, bool is_last) {
  std::uint64_t m[16];
  for (std::size_t i = 0; i < 16; ++i) {
    m[i] = load_le64(block + 8 * i);
  }
  std::uint64_t v[16];
  for (std::size_t i = 0; i < 8; ++i) {
    v[i] = h[i];
    v[i + 8] = kIv[i];
  }
  v[12] ^= counter;
  v[14] = is_last ? ~v[14] : v[14];
  round<0>(v, m);
  round<1>(v, m);
  round<2>(v, m);
  round<3>(v, m);
  round<4>(v, m);
  round<5>(v, m);
  round<6>(v, m);
  round<7>(v, m);
  round<8>(v, m);
  round<9>(v, m);
  round<10>(v, m);
  round<11>(v, m);
  for (std::size_t i = 0; i < 8; ++i) {
    h[i] ^= v[i] ^ v[i + 8];
  }
}

// Parameter block of sequential mode: fanout 1, depth 1 (RFC 7693 section 2.5).
constexpr std::uint64_t parameter_word(std::size_t digest_len, std::size_t key_len) {
  return 0x01010000 ^ (static_cast<std::uint64_t>(key_len) << 8) ^ digest_len;
}

}  // namespace

Blake2b::Blake2b(std::size_t digest_len, ByteSpan key) : state_(kIv), digest_len_(digest_len) {
  OPTIKS_CHECK(digest_len >= 1 && digest_len <= kBlake2bMaxDigestLen);
  OPTIKS_CHECK(key.size() <= kBlake2bMaxKeyLen);
  state_[0] ^= parameter_word(digest_len, key.size());
  if (!key.empty()) {
    std::memcpy(buffer_.data(), key.data(), key.size());
    buffer_len_ = kBlake2bBlockLen;
  }
}

Blake2b::~Blake2b() {
  zeroize(state_.data(), sizeof(state_));
  zeroize(buffer_.data(), buffer_.size());
}

Blake2b& Blake2b::update(ByteSpan data) {
  while (!data.empty()) {
    if (buffer_len_ == kBlake2bBlockLen) {
      num_absorbed_ += kBlake2bBlockLen;
      compress(state_, buffer_.data(), num_absorbed_, false);
      buffer_len_ = 0;
    }
    const std::size_t take = std::min(data.size(), kBlake2bBlockLen - buffer_len_);
    std::memcpy(buffer_.data() + buffer_len_, data.data(), take);
    buffer_len_ += take;
    data = data.subspan(take);
  }
  return *this;
}

void Blake2b::finish(MutableByteSpan out) {
  OPTIKS_CHECK(out.size() == digest_len_);
  num_absorbed_ += buffer_len_;
  std::memset(buffer_.data() + buffer_len_, 0, kBlake2bBlockLen - buffer_len_);
  compress(state_, buffer_.data(), num_absorbed_, true);
  std::uint8_t digest[kBlake2bMaxDigestLen];
  for (std::size_t i = 0; i < 8; ++i) {
    store_le64(digest + 8 * i, state_[i]);
  }
  std::memcpy(out.data(), digest, digest_len_);
  zeroize(digest, sizeof(digest));
}

void blake2b(MutableByteSpan out, ByteSpan data, ByteSpan key) { Blake2b(out.size(), key).update(data).finish(out); }

void blake2b_256_block(std::span<std::uint8_t, 32> out, ByteSpan data) {
  OPTIKS_CHECK(data.size() <= kBlake2bBlockLen);
  State state = kIv;
  state[0] ^= parameter_word(32, 0);
  if (data.size() == kBlake2bBlockLen) {
    compress(state, data.data(), kBlake2bBlockLen, true);
  } else {
    std::uint8_t block[kBlake2bBlockLen] = {};
    if (!data.empty()) {
      std::memcpy(block, data.data(), data.size());
    }
    compress(state, block, data.size(), true);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    store_le64(out.data() + 8 * i, state[i]);
  }
}

}  // namespace optiks::base
