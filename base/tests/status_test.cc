#include "optiks/base/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace optiks::base {
namespace {

TEST(Status, DefaultIsOk) {
  EXPECT_TRUE(Status().ok());
  const Status status(StatusCode::kMalformed, "too short");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kMalformed);
  EXPECT_STREQ(status.message(), "too short");
}

TEST(Result, HoldsAMoveOnlyValue) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.status().ok());
  const std::unique_ptr<int> value = std::move(result).value();
  EXPECT_EQ(*value, 7);
}

TEST(ResultDeathTest, ReadingAFailedResultAborts) {
  const Result<int> result(Status(StatusCode::kUnavailable, "getrandom failed"));
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kUnavailable);
  EXPECT_DEATH(static_cast<void>(result.value()), "check failed");
}

TEST(ResultDeathTest, AnOkStatusIsNoFailure) { EXPECT_DEATH(static_cast<void>(Result<int>(Status())), "check failed"); }

}  // namespace
}  // namespace optiks::base
