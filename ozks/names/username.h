// Usernames that people may type in several ways have one form: docs/spec/usernames.md (PRECIS UsernameCaseMapped, RFC
// 8265 section 3.3, of Unicode 15.0.0). No storage, threads or exceptions. Any thread.
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

// Username: a name in its one form, or why it has none (OPTIKS_NAME_..., docs/spec/usernames.md section 3).
struct Username {
  std::int32_t fault = OPTIKS_NAME_VALID;
  std::array<std::uint8_t, kMaxNameLen> octets{};  // UTF-8, when valid
  std::size_t length = 0;
};

// prepare_username gives the one form of a name, or says that it has none. max_len: octets of the form, at most
// kMaxNameLen; names longer than kMaxNameLen have none, whatever their form would be.
[[nodiscard]] Username prepare_username(base::ByteSpan name, std::size_t max_len);

}  // namespace optiks::ozks::names
