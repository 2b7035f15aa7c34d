// Many messages at a time, by every kernel, against the streaming hash.
#include "optiks/base/blake2b_many.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

namespace optiks::base {
namespace {

class Blake2bMany : public testing::TestWithParam<Kernel> {};

// Lengths at both sides of every block's end, mixed in one call, with and without a prefix.
TEST_P(Blake2bMany, GivesWhatTheStreamingHashGives) {
  std::mt19937_64 random(3);
  for (const auto& [prefix_len, stride] :
       {std::pair<std::size_t, std::size_t>{0, 128}, {0, 256}, {0, 384}, {128, 128}, {128, 384}, {256, 256}}) {
    std::vector<std::uint8_t> prefix_bytes(prefix_len, 0x5a);
    for (const std::size_t digest_len : {1, 20, 32, 64}) {
      const Blake2bPrefix prefix = blake2b_prefix(digest_len, prefix_bytes);
      for (const std::size_t n : {0, 1, 2, 7, 8, 9, 10, 40}) {
        std::vector<std::uint8_t> slots(n * stride);
        std::vector<std::size_t> lens(n);
        constexpr std::size_t kLens[] = {1, 127, 128, 129, 255, 256, 257, 383, 384};
        for (std::size_t i = 0; i < n; ++i) {
          lens[i] = std::min(kLens[random() % std::size(kLens)], stride);
          for (std::size_t j = 0; j < lens[i]; ++j) {
            slots[i * stride + j] = static_cast<std::uint8_t>(random());
          }
        }
        std::vector<std::uint8_t> digests(n * digest_len);
        blake2b_many_by(GetParam(), digests, digest_len, prefix, slots, stride, lens);
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<std::uint8_t> expected(digest_len);
          Blake2b(digest_len)
              .update(prefix_bytes)
              .update(std::span(slots).subspan(i * stride, lens[i]))
              .finish(expected);
          EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                                 digests.begin() + static_cast<std::ptrdiff_t>(i * digest_len)))
              << "message " << i << " of " << n << ", " << lens[i] << " octets";
        }
      }
    }
  }
}

std::string name_of(const testing::TestParamInfo<Kernel>& info) { return kernel_name(info.param); }

// Those that this machine can run.
std::vector<Kernel> runnable() {
  std::vector<Kernel> kernels = {Kernel::kScalar, Kernel::kPortable8};
  if (cpu_has_avx2()) {
    kernels.push_back(Kernel::kAvx2);
  }
  if (cpu_has_ifma512()) {
    kernels.push_back(Kernel::kIfma512);
  }
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Blake2bMany, testing::ValuesIn(runnable()), name_of);

TEST(ChooseKernel, TakesTheFastestWithoutAName) {
  EXPECT_EQ(choose_kernel(nullptr, true, true).value(), Kernel::kIfma512);
  EXPECT_EQ(choose_kernel("", true, true).value(), Kernel::kIfma512);
  EXPECT_EQ(choose_kernel(nullptr, true, false).value(), Kernel::kAvx2);
  EXPECT_EQ(choose_kernel(nullptr, false, false).value(), Kernel::kScalar);
}

TEST(ChooseKernel, TakesTheNamedOne) {
  EXPECT_EQ(choose_kernel("scalar", true, true).value(), Kernel::kScalar);
  EXPECT_EQ(choose_kernel("portable8", false, false).value(), Kernel::kPortable8);
  EXPECT_EQ(choose_kernel("avx2", true, true).value(), Kernel::kAvx2);
  EXPECT_EQ(choose_kernel("ifma512", true, true).value(), Kernel::kIfma512);
}

TEST(ChooseKernel, RefusesWhatItDoesNotKnowOrCannotRun) {
  EXPECT_EQ(choose_kernel("ifma512", true, false).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(choose_kernel("avx2", false, false).status().code(), StatusCode::kUnavailable);
  for (const char* const name : {"avx", "IFMA512", "scalar ", "0"}) {
    EXPECT_EQ(choose_kernel(name, true, true).status().code(), StatusCode::kInvalidArgument) << name;
  }
}

// A process that did not ask kernel_choice at its start does not compute with something else instead.
TEST(KernelDeathTest, AnUnknownNameEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, which has not chosen yet
  EXPECT_DEATH(
      {
        setenv("OPTIKS_FORCE_KERNEL", "neon", 1);
        static_cast<void>(kernel());
      },
      "OPTIKS_FORCE_KERNEL names none of scalar, portable8, avx2, ifma512");
}

}  // namespace
}  // namespace optiks::base
