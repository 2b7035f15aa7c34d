#include "optiks/base/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string_view>
#include <vector>

namespace optiks::base {
namespace {

ByteSpan octets_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

TEST(Crc32c, KnownAnswers) {
  EXPECT_EQ(crc32c({}), 0U);
  // The check value of CRC-32C in the catalogue of CRC algorithms.
  EXPECT_EQ(crc32c(octets_of("123456789")), 0xe3069283U);
  // The examples of RFC 3720 appendix B.4.
  std::vector<std::uint8_t> data(32, 0);
  EXPECT_EQ(crc32c(data), 0x8a9136aaU);
  std::fill(data.begin(), data.end(), 0xff);
  EXPECT_EQ(crc32c(data), 0x62a8ab43U);
  std::iota(data.begin(), data.end(), std::uint8_t{0});
  EXPECT_EQ(crc32c(data), 0x46dd794eU);
}

TEST(Crc32c, AcceleratedIsPortableAndGoesOn) {
  RecordProperty("accelerated", crc32c_is_accelerated() ? "yes" : "no");
  std::vector<std::uint8_t> data(100);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::uint8_t>(i * i + 7 * i);
  }
  for (std::size_t len = 0; len <= data.size(); ++len) {
    const ByteSpan part = ByteSpan(data).first(len);
    const std::uint32_t whole = crc32c_portable(part);
    EXPECT_EQ(crc32c(part), whole) << len;
    for (const std::size_t cut : {std::size_t{0}, len / 3, len}) {
      EXPECT_EQ(crc32c(part.subspan(cut), crc32c(part.first(cut))), whole) << len << " at " << cut;
      EXPECT_EQ(crc32c_portable(part.subspan(cut), crc32c_portable(part.first(cut))), whole) << len << " at " << cut;
    }
  }
}

TEST(Crc32c, EachBitCounts) {
  std::vector<std::uint8_t> data(76, 0x5a);
  const std::uint32_t whole = crc32c(data);
  for (std::size_t bit = 0; bit < 8 * data.size(); ++bit) {
    data[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_NE(crc32c(data), whole) << bit;
    data[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
  }
  EXPECT_EQ(crc32c(data), whole);
}

}  // namespace
}  // namespace optiks::base
