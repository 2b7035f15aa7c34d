// Reads problem documents (RFC 9457; docs/spec/rest.md sections 1 and 2).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "optiks/client/octets.h"

namespace optiks::client {

// The texts of a problem document, which are printable ASCII and have at most 514 octets. The client decides by `name`
// alone; the other texts are for people.
struct Problem {
  // The type without "urn:optiks:problem:", such as "not-caught-up". Nullopt if the type is of another kind.
  std::optional<std::string> name{};
  // The detail; the title if there is no detail.
  std::optional<std::string> detail{};
  std::optional<std::string> field{};     // the part of the request at fault, such as "$[3].key"
  std::optional<std::string> trace_id{};  // by which the operator finds the request

  bool operator==(const Problem&) const = default;
};

inline constexpr std::size_t kMaxProblemLen = std::size_t{64} << 10;

// Returns the texts in the body of an error answer. The result has no texts if the body is not a problem document, or
// is longer than kMaxProblemLen.
[[nodiscard]] Problem read_problem(ByteSpan body);

}  // namespace optiks::client
