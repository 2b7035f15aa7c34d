// The bounds of JSON in servers' answers.
#pragma once

#include <cstddef>
#include <optional>

#include "optiks/client/json.h"

namespace optiks::client {

// The deepest answer, the status of a request, has three levels. Later servers may add members that are deeper.
inline constexpr std::size_t kMaxAnswerDepth = 8;

// The longest answer to a request for changes, and the longest answer about the status of a request.
inline constexpr std::size_t kMaxStatusLen = std::size_t{1} << 20;

// Parses an answer. Returns nullopt if it is longer than `max_len`, or if the reader of JSON refuses it.
[[nodiscard]] inline std::optional<JsonDocument> parse_answer(ByteSpan answer, std::size_t max_len) {
  return answer.size() <= max_len ? JsonDocument::parse(answer, kMaxAnswerDepth) : std::nullopt;
}

}  // namespace optiks::client
