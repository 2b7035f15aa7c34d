#include "optiks/base/blake2b.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "blake2b_core.h"
#include "optiks/base/check.h"
#include "optiks/base/secret.h"

namespace optiks::base {
namespace {

using internal::blake2b_compress;
using internal::blake2b_parameters;
using internal::Blake2bState;

constexpr Blake2bState initial_state(std::size_t digest_len, std::size_t key_len) {
  Blake2bState state{};
  std::copy(std::begin(internal::kBlake2bIv), std::end(internal::kBlake2bIv), state.begin());
  state[0] ^= blake2b_parameters(digest_len, key_len);
  return state;
}

}  // namespace

void internal::blake2b_compress(Blake2bState& h, const std::uint8_t* block, std::uint64_t counter, bool is_last) {
  std::uint64_t m[16];
  for (std::size_t i = 0; i < 16; ++i) {
    m[i] = load_le64(block + 8 * i);
  }
  std::uint64_t state[8];
  std::copy(h.begin(), h.end(), state);
  compress(state, m, counter, is_last ? ~std::uint64_t{0} : 0);
  std::copy(std::begin(state), std::end(state), h.begin());
}

Blake2bPrefix blake2b_prefix(std::size_t digest_len, ByteSpan whole_blocks) {
  OPTIKS_CHECK(digest_len >= 1 && digest_len <= kBlake2bMaxDigestLen);
  OPTIKS_CHECK(whole_blocks.size() % kBlake2bBlockLen == 0);
  Blake2bPrefix prefix{initial_state(digest_len, 0), 0};
  for (std::size_t start = 0; start < whole_blocks.size(); start += kBlake2bBlockLen) {
    prefix.num_absorbed += kBlake2bBlockLen;
    blake2b_compress(prefix.state, whole_blocks.data() + start, prefix.num_absorbed, false);
  }
  return prefix;
}

Blake2bPrefix blake2b_key_prefix(std::size_t digest_len, ByteSpan key) {
  OPTIKS_CHECK(digest_len >= 1 && digest_len <= kBlake2bMaxDigestLen);
  OPTIKS_CHECK(!key.empty() && key.size() <= kBlake2bMaxKeyLen);
  std::uint8_t block[kBlake2bBlockLen] = {};
  std::memcpy(block, key.data(), key.size());
  Blake2bPrefix prefix{initial_state(digest_len, key.size()), kBlake2bBlockLen};
  blake2b_compress(prefix.state, block, kBlake2bBlockLen, false);
  zeroize(block, sizeof(block));
  return prefix;
}

Blake2b::Blake2b(std::size_t digest_len, ByteSpan key)
    : state_(initial_state(digest_len, key.size())), digest_len_(digest_len) {
  OPTIKS_CHECK(digest_len >= 1 && digest_len <= kBlake2bMaxDigestLen);
  OPTIKS_CHECK(key.size() <= kBlake2bMaxKeyLen);
  if (!key.empty()) {
    std::memcpy(buffer_.data(), key.data(), key.size());
    buffer_len_ = kBlake2bBlockLen;
  }
}

Blake2b::Blake2b(std::size_t digest_len, const Blake2bPrefix& prefix)
    : state_(prefix.state), num_absorbed_(prefix.num_absorbed), digest_len_(digest_len) {}

Blake2b::~Blake2b() {
  zeroize(state_.data(), sizeof(state_));
  zeroize(buffer_.data(), buffer_.size());
}

Blake2b& Blake2b::update(ByteSpan data) {
  while (!data.empty()) {
    if (buffer_len_ == kBlake2bBlockLen) {
      num_absorbed_ += kBlake2bBlockLen;
      blake2b_compress(state_, buffer_.data(), num_absorbed_, false);
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
  OPTIKS_CHECK(buffer_len_ != 0 || num_absorbed_ == 0);  // at least one octet of the message followed the prefix
  num_absorbed_ += buffer_len_;
  std::memset(buffer_.data() + buffer_len_, 0, kBlake2bBlockLen - buffer_len_);
  blake2b_compress(state_, buffer_.data(), num_absorbed_, true);
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
  Blake2bState state = initial_state(32, 0);
  if (data.size() == kBlake2bBlockLen) {
    blake2b_compress(state, data.data(), kBlake2bBlockLen, true);
  } else {
    std::uint8_t block[kBlake2bBlockLen] = {};
    if (!data.empty()) {
      std::memcpy(block, data.data(), data.size());
    }
    blake2b_compress(state, block, data.size(), true);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    store_le64(out.data() + 8 * i, state[i]);
  }
}

}  // namespace optiks::base
