// Test 91 of docs/negative-tests.md: the hand-over from one period to the next. Tests 90 and 92 are in the vectors
// (period_vectors_test.cc).
#include <gtest/gtest.h>

#include "optiks/base/sha256.h"
#include "optiks/ozks/verify/handover.h"
#include "vectors.h"

namespace optiks::ozks::verify::test {
namespace {

const Bytes kValue{'o', 'w', 'n'};
const Bytes kOther{'o', 'w', 'm'};
constexpr PeriodOfRecord kNext{3, 100};
constexpr std::uint64_t kLastNumber = UINT64_MAX;

VersionEntry copy_of(ByteSpan value) { return {1, 0, kNext.first_epoch, true, value}; }

// Returns an entry of version 1 that is no copy: the owner set it after the switch.
VersionEntry set_later(ByteSpan value) { return {1, kNext.first_epoch + 7, kNext.first_epoch + 7, true, value}; }

// Returns the hash that an owner keeps of a value.
Hash hash_of(ByteSpan value) {
  Hash hash;
  base::sha256(hash, value);
  return hash;
}

std::string handover(const std::vector<VersionEntry>& entries, const EndState& end,
                     const PeriodOfRecord& next = kNext) {
  return name_of(check_handover(next, entries, end));
}

TEST(NegativePeriods, N00PositiveControl) {
  EXPECT_EQ(handover({copy_of(kValue)}, {2, 99, 1, hash_of(kValue)}), "valid");
  EXPECT_EQ(handover({copy_of(kValue), {2, 105, 105, true, kOther}}, {2, 99, 8, hash_of(kValue)}), "valid");
  EXPECT_EQ(handover({copy_of({})}, {2, 99, 1, hash_of({})}), "valid");
  EXPECT_EQ(handover({}, {2, 99, 0, hash_of({})}), "valid");
  EXPECT_EQ(handover({set_later(kValue)}, {2, 99, 0, hash_of({})}), "valid");
  EXPECT_EQ(handover({copy_of(kValue)}, {0, 99, 1, hash_of(kValue)}, {1, 100}), "valid");
}

TEST(NegativePeriods, N91AnotherPeriodOrEpoch) {
  for (const std::uint64_t period : {0ULL, 1ULL, 3ULL, 4ULL, static_cast<unsigned long long>(kLastNumber)}) {
    EXPECT_EQ(handover({copy_of(kValue)}, {period, 99, 1, hash_of(kValue)}), "handover_period") << period;
    EXPECT_EQ(handover({}, {period, 99, 0, hash_of({})}), "handover_period") << period;
  }
  for (const std::uint64_t epoch : {0ULL, 98ULL, 100ULL, static_cast<unsigned long long>(kLastNumber)}) {
    EXPECT_EQ(handover({copy_of(kValue)}, {2, epoch, 1, hash_of(kValue)}), "handover_period") << epoch;
  }
  // The numbers must not wrap: the period before period 0 is not period 2^64 - 1.
  EXPECT_EQ(handover({copy_of(kValue)}, {kLastNumber, kLastNumber, 1, hash_of(kValue)}, {0, 0}), "handover_period");
}

TEST(NegativePeriods, N91AnotherCopy) {
  const EndState end{2, 99, 4, hash_of(kValue)};
  EXPECT_EQ(handover({copy_of(kOther)}, end), "handover_value");
  EXPECT_EQ(handover({copy_of({})}, end), "handover_value");
  EXPECT_EQ(handover({copy_of(ByteSpan(kValue).first(2))}, end), "handover_value");
  // The answer shows only the commitment, because the value was erased.
  EXPECT_EQ(handover({{1, 0, kNext.first_epoch, false, {}}}, end), "handover_value");
  EXPECT_EQ(handover({{1, 0, kNext.first_epoch, false, {}}}, {2, 99, 1, hash_of({})}), "handover_value");
}

TEST(NegativePeriods, N91NoCopyOrOneOfNothing) {
  const EndState end{2, 99, 4, hash_of(kValue)};
  EXPECT_EQ(handover({}, end), "handover_missing");
  EXPECT_EQ(handover({set_later(kValue)}, end), "handover_missing");
  EXPECT_EQ(handover({copy_of(kValue)}, {2, 99, 0, hash_of({})}), "handover_unset");
}

}  // namespace
}  // namespace optiks::ozks::verify::test
