// Tests base64 against libsodium, and the texts that have to be refused.
#include "optiks/client/base64.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <random>
#include <string>

namespace optiks::client::test {
namespace {

std::string sodium_text(ByteSpan octets, int variant) {
  std::array<char, 128> text;
  sodium_bin2base64(text.data(), text.size(), octets.data(), octets.size(), variant);
  return text.data();
}

TEST(Base64, RoundTrips) {
  std::mt19937 random(64);
  for (std::size_t length = 0; length < 40; ++length) {
    for (int round = 0; round < 20; ++round) {
      Bytes octets(length);
      for (std::uint8_t& octet : octets) {
        octet = static_cast<std::uint8_t>(random());
      }
      const std::string standard = base64_encode(octets);
      EXPECT_EQ(standard, sodium_text(octets, sodium_base64_VARIANT_ORIGINAL));
      EXPECT_EQ(base64_decode(octets_of(standard)), octets);
      const std::string url = base64url_encode(octets);
      EXPECT_EQ(url, sodium_text(octets, sodium_base64_VARIANT_URLSAFE_NO_PADDING));
      EXPECT_EQ(base64url_decode(octets_of(url)), octets);
    }
  }
}

// Every text of up to four characters is refused, or is the text of the octets that it decodes to.
TEST(Base64, OneTextForEachString) {
  constexpr std::string_view kLetters("AQgwZz09+/-_= \n\0", 16);
  std::size_t accepted = 0;
  std::size_t accepted_url = 0;
  std::string text;
  for (std::size_t length = 0; length <= 4; ++length) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < length; ++i) {
      count *= kLetters.size();
    }
    for (std::size_t number = 0; number < count; ++number) {
      text.clear();
      for (std::size_t i = 0, rest = number; i < length; ++i, rest /= kLetters.size()) {
        text.push_back(kLetters[rest % kLetters.size()]);
      }
      if (const auto octets = base64_decode(octets_of(text))) {
        ++accepted;
        ASSERT_EQ(base64_encode(*octets), text);
      }
      if (const auto octets = base64url_decode(octets_of(text))) {
        ++accepted_url;
        ASSERT_EQ(base64url_encode(*octets), text);
      }
    }
  }

  EXPECT_GT(accepted, 10000U);
  EXPECT_GT(accepted_url, 10000U);
}

TEST(Base64, RefusedTexts) {
  for (const char* text : {"A", "AA", "AAA", "AAAAA", "AA=", "A===", "====", "=AAA", "AB==", "AAB=", "AA==AA==", "AA-_",
                           "AAA\n", " AAA", "AAAA\n"}) {
    EXPECT_FALSE(base64_decode(octets_of(text))) << text;
  }
  for (const char* text : {"A", "AAAAA", "AA==", "AAA=", "AB", "AAB", "AA+/", "AAA\n", " AA", "="}) {
    EXPECT_FALSE(base64url_decode(octets_of(text))) << text;
  }
}

}  // namespace
}  // namespace optiks::client::test
