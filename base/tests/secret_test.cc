#include "optiks/base/secret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace optiks::base {
namespace {

TEST(Secret, MasksAndSelections) {
  EXPECT_EQ(ct_mask(0), 0u);
  EXPECT_EQ(ct_mask(1), ~std::uint64_t{0});
  EXPECT_EQ(ct_is_zero(0), 1u);
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(ct_is_zero(std::uint64_t{1} << i), 0u) << i;
    EXPECT_EQ(ct_is_zero(~(std::uint64_t{1} << i)), 0u) << i;
  }
  EXPECT_EQ(ct_select(ct_mask(1), 5, 9), 5u);
  EXPECT_EQ(ct_select(ct_mask(0), 5, 9), 9u);
}

// Returns true if all bytes have the expected value. The reads are volatile, so the compiler cannot remove them.
bool all_bytes_are(const void* address, std::size_t len, unsigned char expected) {
  const auto* const bytes = static_cast<const volatile unsigned char*>(address);
  for (std::size_t i = 0; i < len; ++i) {
    if (bytes[i] != expected) {
      return false;
    }
  }
  return true;
}

TEST(Secret, DestructionErases) {
  using Held = Secret<32>;
  alignas(Held) std::array<unsigned char, sizeof(Held)> storage{};
  std::array<std::uint8_t, 32> value;
  value.fill(0xa5);
  Held* const held = new (storage.data()) Held(value);
  ASSERT_TRUE(all_bytes_are(held, sizeof(Held), 0xa5));
  std::destroy_at(held);
  EXPECT_TRUE(all_bytes_are(storage.data(), sizeof(Held), 0));
}

TEST(Secret, MovingErasesTheSource) {
  std::array<std::uint8_t, 4> value = {1, 2, 3, 4};
  Secret<4> source(value);
  const Secret<4> target = std::move(source);
  EXPECT_TRUE(std::ranges::equal(target.bytes(), value));
  const std::array<std::uint8_t, 4> zero{};
  // NOLINTNEXTLINE(bugprone-use-after-move): the test checks that the source is empty
  EXPECT_TRUE(std::ranges::equal(std::as_const(source).bytes(), zero));
}

TEST(Secret, TakingOverAReturnedValueErasesIt) {
  std::array<std::uint8_t, 4> returned = {1, 2, 3, 4};
  const Zeroizing<std::array<std::uint8_t, 4>> held(std::move(returned));
  EXPECT_EQ((*held)[3], 4);
  EXPECT_TRUE(all_bytes_are(&returned, sizeof(returned), 0));
}

TEST(Secret, CannotBeCopiedOrCompared) {
  EXPECT_FALSE(std::is_copy_constructible_v<Secret<32>>);
  EXPECT_FALSE(std::is_copy_assignable_v<Secret<32>>);
  EXPECT_FALSE(std::equality_comparable<Secret<32>>);
}

}  // namespace
}  // namespace optiks::base
