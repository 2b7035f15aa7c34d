// Tests the hash against known answers of RFC 7693 and of the BLAKE2 authors, and against libb2 with random inputs.
#include "optiks/base/blake2b.h"

#include <blake2.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "hex.h"

namespace optiks::base {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(std::mt19937_64& random, std::size_t len) {
  Bytes out(len);
  for (auto& byte : out) {
    byte = static_cast<std::uint8_t>(random());
  }
  return out;
}

Bytes reference(std::size_t digest_len, const Bytes& data, const Bytes& key) {
  Bytes out(digest_len);
  EXPECT_EQ(::blake2b(out.data(), data.data(), key.data(), digest_len, data.size(), key.size()), 0);
  return out;
}

Bytes ours(std::size_t digest_len, ByteSpan data, ByteSpan key = {}) {
  Bytes out(digest_len);
  blake2b(out, data, key);
  return out;
}

TEST(Blake2b, Rfc7693AppendixA) {
  const std::string_view abc = "abc";
  const Bytes data(abc.begin(), abc.end());
  EXPECT_EQ(to_hex(ours(64, data)),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

TEST(Blake2b, EmptyInput) {
  EXPECT_EQ(to_hex(ours(32, {})), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

// RFC 7693 appendix E hashes the results of many hashes, with different lengths of digest, key and message.
TEST(Blake2b, Rfc7693AppendixE) {
  const auto sequence = [](std::size_t len, std::uint32_t seed) {
    Bytes out(len);
    std::uint32_t a = 0xDEAD4BAD * seed;
    std::uint32_t b = 1;
    for (auto& byte : out) {
      const std::uint32_t t = a + b;
      a = b;
      b = t;
      byte = static_cast<std::uint8_t>(t >> 24);
    }
    return out;
  };
  Blake2b all(32);
  for (const std::size_t digest_len : {20, 32, 48, 64}) {
    for (const std::size_t data_len : {0, 3, 128, 129, 255, 1024}) {
      const Bytes data = sequence(data_len, static_cast<std::uint32_t>(data_len));
      all.update(ours(digest_len, data));
      all.update(ours(digest_len, data, sequence(digest_len, static_cast<std::uint32_t>(digest_len))));
    }
  }
  Bytes out(32);
  all.finish(out);
  EXPECT_EQ(to_hex(out), "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475");
}

TEST(Blake2b, AgreesWithLibb2OverRandomLengths) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Bytes data = random_bytes(random, random() % 700);
    const Bytes key = random_bytes(random, random() % 3 == 0 ? random() % 65 : 0);
    const std::size_t digest_len = 1 + random() % 64;
    ASSERT_EQ(ours(digest_len, data, key), reference(digest_len, data, key))
        << data.size() << " octets, key " << key.size() << ", digest " << digest_len;
  }
}

TEST(Blake2b, ChunksDoNotMatter) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    const Bytes data = random_bytes(random, random() % 600);
    const Bytes key = random_bytes(random, random() % 2 == 0 ? 32 : 0);
    Blake2b hash(64, key);
    for (std::size_t at = 0; at < data.size();) {
      const std::size_t take = std::min<std::size_t>(data.size() - at, random() % 200);
      hash.update(ByteSpan(data).subspan(at, take));
      at += take;
    }
    const Blake2b copy = hash;
    Bytes out(64);
    hash.finish(out);
    ASSERT_EQ(out, reference(64, data, key));
    Blake2b(copy).finish(out);
    ASSERT_EQ(out, reference(64, data, key)) << "a copy is independent";
  }
}

TEST(Blake2b, GoesOnAfterAPrefix) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) {
    const std::size_t digest_len = 1 + random() % 64;
    const Bytes key = random_bytes(random, 1 + random() % 64);
    const Bytes blocks = random_bytes(random, (random() % 3) * kBlake2bBlockLen);
    const Bytes data = random_bytes(random, 1 + random() % 300);
    Bytes out(digest_len);
    Blake2b(digest_len, blake2b_key_prefix(digest_len, key)).update(data).finish(out);
    ASSERT_EQ(out, reference(digest_len, data, key));
    Blake2b(digest_len, blake2b_prefix(digest_len, blocks)).update(data).finish(out);
    Bytes all = blocks;
    all.insert(all.end(), data.begin(), data.end());
    ASSERT_EQ(out, reference(digest_len, all, {}));
  }
}

TEST(Blake2b, OneBlockFormAgreesForEveryLength) {
  std::mt19937_64 random(3);
  for (std::size_t len = 0; len <= kBlake2bBlockLen; ++len) {
    const Bytes data = random_bytes(random, len);
    std::array<std::uint8_t, 32> out;
    blake2b_256_block(out, data);
    EXPECT_EQ(Bytes(out.begin(), out.end()), reference(32, data, {})) << len;
  }
}

TEST(Blake2bDeathTest, MisuseAborts) {
  const Bytes data(kBlake2bBlockLen + 1);
  std::array<std::uint8_t, 32> out;
  EXPECT_DEATH(blake2b_256_block(out, data), "check failed");
  EXPECT_DEATH(Blake2b(32, blake2b_key_prefix(32, data)).finish(out), "check failed");
  EXPECT_DEATH(Blake2b(32, blake2b_key_prefix(32, ByteSpan(data).first(1))).finish(out), "check failed");
  EXPECT_DEATH(Blake2b(0), "check failed");
  EXPECT_DEATH(Blake2b(65), "check failed");
  EXPECT_DEATH(Blake2b(32, ByteSpan(data).first(65)), "check failed");
  EXPECT_DEATH(Blake2b(64).finish(out), "check failed");
}

}  // namespace
}  // namespace optiks::base
