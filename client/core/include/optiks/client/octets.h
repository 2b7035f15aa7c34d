// The types of octets and of text that the client core uses.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "optiks/base/bytes.h"

namespace optiks::client {

using base::ByteSpan;
using Bytes = std::vector<std::uint8_t>;

// Returns the octets of a text. The view lives as long as the text.
[[nodiscard]] inline ByteSpan octets_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Returns octets as a text. The caller knows that they are UTF-8, or only compares them.
[[nodiscard]] inline std::string_view text_of(ByteSpan octets) {
  return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

}  // namespace optiks::client
