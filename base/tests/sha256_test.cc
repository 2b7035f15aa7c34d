// Tests the hash against known answers of FIPS 180-4, and against libsodium with random inputs.
#include "optiks/base/sha256.h"

#include <gtest/gtest.h>
#include <sodium/crypto_hash_sha256.h>

#include <random>
#include <string_view>
#include <vector>

#include "hex.h"

namespace optiks::base {
namespace {

std::string hash_text(std::string_view text) {
  std::array<std::uint8_t, kSha256DigestLen> out;
  sha256(out, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return to_hex(out);
}

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(hash_text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, AgreesWithLibsodiumHoweverTheInputIsCut) {
  std::mt19937_64 random(4);
  for (std::size_t len = 0; len < 400; ++len) {
    std::vector<std::uint8_t> data(len);
    for (auto& byte : data) {
      byte = static_cast<std::uint8_t>(random());
    }
    std::array<std::uint8_t, kSha256DigestLen> expected;
    crypto_hash_sha256(expected.data(), data.data(), data.size());

    std::array<std::uint8_t, kSha256DigestLen> out;
    sha256(out, data);
    ASSERT_EQ(out, expected) << len;

    Sha256 hash;
    for (std::size_t at = 0; at < len;) {
      const std::size_t take = std::min<std::size_t>(len - at, random() % 150);
      hash.update(ByteSpan(data).subspan(at, take));
      at += take;
    }
    hash.finish(out);
    ASSERT_EQ(out, expected) << len;
  }
}

}  // namespace
}  // namespace optiks::base
