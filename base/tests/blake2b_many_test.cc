// Tests that each kernel's hash of many messages gives the same digests as the streaming hash.
#include "optiks/base/blake2b_many.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace optiks::base {
namespace {

class Blake2bMany : public testing::TestWithParam<Kernel> {};

// Tests message lengths on both sides of each block boundary. Each call mixes lengths, with and without a prefix.
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

INSTANTIATE_TEST_SUITE_P(Kernels, Blake2bMany, testing::ValuesIn(runnable_kernels()), name_of);

// The kernels that each generation of processors can run.
constexpr Kernel kOld[] = {Kernel::kScalar};
constexpr Kernel kWithAvx2[] = {Kernel::kScalar, Kernel::kAvx2};
constexpr Kernel kWithAll[] = {Kernel::kScalar, Kernel::kAvx2, Kernel::kIfma512};

TEST(ChooseKernel, TakesTheFastestWithoutAName) {
  EXPECT_EQ(choose_kernel(nullptr, kWithAll).value(), Kernel::kIfma512);
  EXPECT_EQ(choose_kernel("", kWithAll).value(), Kernel::kIfma512);
  EXPECT_EQ(choose_kernel(nullptr, kWithAvx2).value(), Kernel::kAvx2);
  EXPECT_EQ(choose_kernel(nullptr, kOld).value(), Kernel::kScalar);
}

TEST(ChooseKernel, TakesTheNamedOne) {
  for (const Kernel kernel : kWithAll) {
    EXPECT_EQ(choose_kernel(kernel_name(kernel), kWithAll).value(), kernel);
  }
  EXPECT_EQ(choose_kernel("scalar", kWithAll).value(), Kernel::kScalar);
}

TEST(ChooseKernel, RefusesWhatItDoesNotKnowOrCannotRun) {
  EXPECT_EQ(choose_kernel("ifma512", kWithAvx2).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(choose_kernel("avx2", kOld).status().code(), StatusCode::kUnavailable);
  for (const char* const name : {"avx", "IFMA512", "scalar ", "0"}) {
    EXPECT_EQ(choose_kernel(name, kWithAll).status().code(), StatusCode::kInvalidArgument) << name;
  }
}

// Linux lists an instruction set in /proc/cpuinfo only if the processor has it and the kernel of Linux saves its
// registers.
TEST(RunnableKernels, AreThoseOfTheProcessor) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; std::getline(cpuinfo, line) && flags.empty();) {
    if (line.starts_with("flags")) {
      std::istringstream words(line);
      flags.insert(std::istream_iterator<std::string>(words), {});
    }
  }
  std::vector<Kernel> expected(std::begin(kOld), std::end(kOld));
  const auto add = [&](Kernel kernel, std::initializer_list<const char*> needed) {
    if (std::ranges::all_of(needed, [&](const char* flag) { return flags.contains(flag); })) {
      expected.push_back(kernel);
    }
  };
  add(Kernel::kAvx2, {"avx2"});
  add(Kernel::kIfma512, {"avx512f", "avx512dq", "avx512vl", "avx512ifma"});
  const std::span<const Kernel> runnable = runnable_kernels();
  EXPECT_EQ(std::vector<Kernel>(runnable.begin(), runnable.end()), expected);
}

// If OPTIKS_FORCE_KERNEL is wrong, a process that does not check `kernel_choice()` aborts instead of using another
// kernel.
TEST(KernelDeathTest, AnUnknownNameEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // this style starts a new process, which has not chosen a kernel yet
  EXPECT_DEATH(
      {
        setenv("OPTIKS_FORCE_KERNEL", "neon", 1);
        static_cast<void>(kernel());
      },
      "OPTIKS_FORCE_KERNEL names none of scalar, avx2, ifma512");
}

}  // namespace
}  // namespace optiks::base
