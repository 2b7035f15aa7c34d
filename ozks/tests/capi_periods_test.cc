// Passes arguments to the calls about periods that no correct caller passes. The tests in ozks/verify/tests judge the
// answers.
#include <gtest/gtest.h>

#include <array>

#include "optiks/optiks.h"

namespace {

class CApiPeriods : public testing::Test {
 protected:
  std::int32_t periods(const optiks_context_t* context, const std::uint8_t* answer, std::size_t* bounds,
                       std::size_t capacity) {
    return optiks_verify_periods(context, 0, answer, 1, &reason_, &head_, bounds, capacity, &num_bounds_);
  }

  std::int32_t handover(const optiks_head_result_t* head, const optiks_version_entry_t* entry,
                        const optiks_end_t* end) {
    return optiks_verify_handover(head, entry, octets_.data(), 1, end, &reason_);
  }

  std::array<std::uint8_t, OPTIKS_RECORD_LEN> octets_{};
  optiks_context_t context_{};
  optiks_head_result_t head_{};
  optiks_end_t end_{};
  std::size_t bound_ = 0;
  std::size_t num_bounds_ = 0;
  std::int32_t reason_ = -1;
};

TEST_F(CApiPeriods, ArgumentsOfPeriods) {
  EXPECT_EQ(periods(nullptr, octets_.data(), &bound_, 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(periods(&context_, nullptr, &bound_, 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(periods(&context_, octets_.data(), nullptr, 1), OPTIKS_E_ARGUMENT);
  // As a control, checks that an empty answer gets a verdict if all arguments are correct.
  EXPECT_EQ(periods(&context_, octets_.data(), nullptr, 0), OPTIKS_OK);
  EXPECT_NE(reason_, 0);
}

TEST_F(CApiPeriods, ArgumentsOfHandover) {
  optiks_version_entry_t entry{};
  EXPECT_EQ(handover(nullptr, nullptr, &end_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(handover(&head_, nullptr, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(handover(&head_, &entry, &end_), OPTIKS_E_ARGUMENT) << "an entry of another version than 1";
  entry.version = 1;
  EXPECT_EQ(handover(&head_, &entry, &end_), OPTIKS_OK);
  entry.value_offset = 1;
  entry.value_len = 1;
  EXPECT_EQ(handover(&head_, &entry, &end_), OPTIKS_E_ARGUMENT) << "a value beyond the answer";
}

TEST_F(CApiPeriods, AnEndedPeriodHasNoLookupsAndNoBounds) {
  const std::uint8_t key = 'k';
  const std::uint64_t offsets[] = {0, 1};
  optiks_lookup_result_t result{};
  std::size_t failed = 0;
  const auto lookup = [&] {
    return optiks_verify_lookup(&context_, 1, &key, offsets, nullptr, octets_.data(), 1, &reason_, &failed, &head_,
                                &result);
  };
  EXPECT_EQ(lookup(), OPTIKS_OK);
  context_.ended_record = octets_.data();
  EXPECT_EQ(lookup(), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(periods(&context_, octets_.data(), nullptr, 0), OPTIKS_E_ARGUMENT);
}

}  // namespace
