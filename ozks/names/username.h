// Converts usernames, which people may type in several ways, to one form. docs/spec/usernames.md defines this form:
// UsernameCaseMapped of PRECIS (RFC 8265 section 3.3) with Unicode 15.0.0. The code uses no storage, threads or
// exceptions. Any thread may call it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/facts.h"
#include "optiks/types.h"

namespace optiks::ozks::names {

inline constexpr std::size_t kMaxNameLen = verify::kMaxKeyLen;

// The form of a name, or the reason why the name has no form: OPTIKS_NAME_... (docs/spec/usernames.md section 3).
struct Username {
  std::int32_t fault = OPTIKS_NAME_VALID;
  std::array<std::uint8_t, kMaxNameLen> octets{};  // UTF-8, if valid
  std::size_t length = 0;
};

// Returns the form of a name, or the reason why it has no form. `max_len`: the maximum length of the form; it may be at
// most kMaxNameLen. A name longer than kMaxNameLen has no form, even if its form would be shorter.
[[nodiscard]] Username prepare_username(base::ByteSpan name, std::size_t max_len);

}  // namespace optiks::ozks::names
