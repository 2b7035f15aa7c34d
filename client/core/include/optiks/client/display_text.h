// Makes the text of servers safe for terminals and logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace optiks::client {

// Returns `text` with the JSON escape of every character that is not printable ASCII, such as \u202e. Letters of other
// scripts are escaped too, because to tell them from invisible characters would take tables of Unicode. A character
// that would begin after `max_len` octets of the result is left out with all that follow, and "..." takes their place.
// So the result has at most `max_len` + 14 octets. Octets that are not UTF-8 become \ufffd.
[[nodiscard]] std::string escape_for_display(std::string_view text, std::size_t max_len);

}  // namespace optiks::client
