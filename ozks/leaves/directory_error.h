// DirectoryError: the exception of a failed directory call. It has the status that the C ABI returns, and the error
// text.
#pragma once

#include <cstdint>
#include <exception>

#include "optiks/types.h"

namespace optiks::ozks {

class DirectoryError : public std::exception {
 public:
  DirectoryError(std::int32_t status, const char* text) : status_(status), text_(text) {}
  [[nodiscard]] std::int32_t status() const { return status_; }
  [[nodiscard]] const char* what() const noexcept override { return text_; }

 private:
  std::int32_t status_;
  const char* text_;  // static
};

// Throws the DirectoryError for stored data that contradicts itself.
[[noreturn]] inline void data_error(const char* text) { throw DirectoryError(OPTIKS_E_DATA, text); }

}  // namespace optiks::ozks
