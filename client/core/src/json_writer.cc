#include <array>
#include <charconv>

#include "optiks/client/json.h"

namespace optiks::client {

void JsonWriter::separate() {
  if (comma_) {
    text_.push_back(',');
  }
  comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  text_.push_back('{');
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  text_.push_back('}');
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  text_.push_back('[');
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  text_.push_back(']');
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::name(std::string_view name) {
  separate();
  text_.append("\"").append(name).append("\":");
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  separate();
  text_.push_back('"');
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet < 0x20) {
      text_.append("\\u00").append({kDigits[octet >> 4], kDigits[octet & 15]});
      continue;
    }
    if (c == '"' || c == '\\') {
      text_.push_back('\\');
    }
    text_.push_back(c);
  }
  text_.push_back('"');
  return *this;
}

JsonWriter& JsonWriter::integer(std::uint64_t value) {
  separate();
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text_.append(digits.data(), end);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  text_.append(value ? "true" : "false");
  return *this;
}

}  // namespace optiks::client
