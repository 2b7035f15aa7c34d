// Status and Result<T>: how code built without exceptions reports that it could not do its work. The outcome of
// verifying a proof is not a Status but a reason: an enum of the verifying module.
#pragma once

#include <optional>
#include <utility>

#include "optiks/base/check.h"

namespace optiks::base {

enum class StatusCode {
  kOk,
  kInvalidArgument,  // the caller passed an argument that a correct caller never passes
  kMalformed,        // the bytes are not a valid encoding
  kUnavailable,      // the operating system or the machine does not provide what the call needs
};

// The code `kOk`, or an error code with a sentence for the log. The sentence is a string literal, so copies of a Status
// are cheap and no code frees the sentence.
class [[nodiscard]] Status {
 public:
  constexpr Status() = default;
  constexpr Status(StatusCode code, const char* message) : code_(code), message_(message) {}

  [[nodiscard]] constexpr bool ok() const { return code_ == StatusCode::kOk; }
  [[nodiscard]] constexpr StatusCode code() const { return code_; }
  [[nodiscard]] constexpr const char* message() const { return message_; }

  // Ignores the status deliberately; `why` tells readers of the calling code the reason.
  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): it reads as an action on this status
  constexpr void ignore(const char* why) const { static_cast<void>(why); }

 private:
  StatusCode code_ = StatusCode::kOk;
  const char* message_ = "";
};

// Holds a `T`, or a Status whose code is not `kOk`. Reading the value of a failed result aborts.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): `return value;`
  Result(Status status) : status_(status) {      // NOLINT(google-explicit-constructor): `return status;`
    OPTIKS_CHECK(!status.ok());
  }

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] Status status() const { return status_; }

  [[nodiscard]] const T& value() const& {
    OPTIKS_CHECK(ok());
    return *value_;
  }
  [[nodiscard]] T& value() & {
    OPTIKS_CHECK(ok());
    return *value_;
  }
  [[nodiscard]] T&& value() && {
    OPTIKS_CHECK(ok());
    return *std::move(value_);
  }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace optiks::base
