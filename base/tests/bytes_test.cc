#include "optiks/base/bytes.h"

#include <gtest/gtest.h>

#include "hex.h"

namespace optiks::base {
namespace {

TEST(Bytes, LoadsAndStoresHaveTheNamedOrder) {
  const std::uint8_t in[9] = {0xaa, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};
  const std::uint8_t* unaligned = in + 1;
  EXPECT_EQ(load_le64(unaligned), 0x0807060504030201u);
  EXPECT_EQ(load_be16(unaligned), 0x0102u);
  EXPECT_EQ(load_be32(unaligned), 0x01020304u);
  EXPECT_EQ(load_be64(unaligned), 0x0102030405060708u);

  std::uint8_t out[8];
  store_le64(out, 0x0807060504030201);
  EXPECT_EQ(to_hex(out), "0102030405060708");
  store_be16(out, 0x0102);
  EXPECT_EQ(to_hex(ByteSpan(out, 2)), "0102");
  store_be32(out, 0x01020304);
  EXPECT_EQ(to_hex(ByteSpan(out, 4)), "01020304");
  store_be64(out, 0x0807060504030201);
  EXPECT_EQ(to_hex(out), "0807060504030201");
}

TEST(Hex, RoundTripsAndRefusesWhatIsNotHex) {
  const auto bytes = from_hex("00fFa1");
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(to_hex(*bytes), "00ffa1");
  EXPECT_TRUE(from_hex("").has_value());
  EXPECT_FALSE(from_hex("0").has_value());
  EXPECT_FALSE(from_hex("0g").has_value());
  EXPECT_FALSE(from_hex("g0").has_value());
  EXPECT_FALSE(from_hex(" 0").has_value());
}

}  // namespace
}  // namespace optiks::base
