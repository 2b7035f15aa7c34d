#include <algorithm>
#include <array>

#include "optiks/base/check.h"
#include "optiks/client/json.h"
#include "optiks/ozks/verify/text.h"

namespace optiks::client {
namespace {

bool is_digit(std::uint8_t c) { return c >= '0' && c <= '9'; }

std::optional<std::uint32_t> hex_digit(std::uint8_t c) {
  if (is_digit(c)) {
    return c - '0';
  }
  const std::uint32_t letter = c | 0x20U;
  return letter >= 'a' && letter <= 'f' ? std::optional(letter - 'a' + 10) : std::nullopt;
}

void append_utf8(char32_t c, Bytes& out) {
  const auto put = [&](char32_t octet) { out.push_back(static_cast<std::uint8_t>(octet)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

}  // namespace

// Parses in one pass, with a stack of the open containers instead of recursion.
class JsonParser {
 public:
  JsonParser(JsonDocument& document, std::size_t max_depth)
      : document_(document), in_(document.octets_), max_depth_(max_depth) {}

  bool parse() {
    skip_white_space();
    if (!value()) {
      return false;
    }
    while (depth_ != 0) {
      if (!next_in_container()) {
        return false;
      }
    }
    skip_white_space();
    return at_ == in_.size();
  }

 private:
  [[nodiscard]] bool more() const { return at_ < in_.size(); }
  bool take(char c) {
    if (!more() || in_[at_] != static_cast<std::uint8_t>(c)) {
      return false;
    }
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!text_of(in_.subspan(at_)).starts_with(word)) {
      return false;
    }
    at_ += word.size();
    return true;
  }
  void skip_white_space() {
    while (more() && (in_[at_] == ' ' || in_[at_] == '\t' || in_[at_] == '\n' || in_[at_] == '\r')) {
      ++at_;
    }
  }

  JsonDocument::Node& add(JsonKind kind) {
    document_.nodes_.push_back({.kind = kind, .end = static_cast<std::uint32_t>(document_.nodes_.size() + 1)});
    return document_.nodes_.back();
  }

  // Reads a value; of an array or object only its beginning.
  bool value() {
    if (!more()) {
      return false;
    }
    switch (in_[at_]) {
      case '{':
        return open(JsonKind::kObject);
      case '[':
        return open(JsonKind::kArray);
      case '"':
        return string();
      case 't':
        add(JsonKind::kTrue);
        return take_word("true");
      case 'f':
        add(JsonKind::kFalse);
        return take_word("false");
      case 'n':
        add(JsonKind::kNull);
        return take_word("null");
      default:
        return number();
    }
  }

  bool open(JsonKind kind) {
    if (depth_ == max_depth_) {
      return false;
    }
    ++at_;
    open_[depth_++] = static_cast<std::uint32_t>(document_.nodes_.size());
    add(kind);
    first_ = true;
    return true;
  }

  // Reads the next element or member of the innermost open container, or closes it.
  bool next_in_container() {
    const std::uint32_t container = open_[depth_ - 1];
    const bool object = document_.nodes_[container].kind == JsonKind::kObject;
    skip_white_space();
    if (take(object ? '}' : ']')) {
      --depth_;
      first_ = false;
      document_.nodes_[container].end = static_cast<std::uint32_t>(document_.nodes_.size());
      return !object || has_distinct_names(container);
    }
    if (!first_ && !take(',')) {
      return false;
    }
    first_ = false;
    skip_white_space();
    if (object) {
      if (!more() || in_[at_] != '"' || !string()) {
        return false;
      }
      skip_white_space();
      if (!take(':')) {
        return false;
      }
      skip_white_space();
    }
    return value();
  }

  // Sorts the names, because comparing each with each would take quadratic time.
  bool has_distinct_names(std::uint32_t container) {
    const std::vector<JsonDocument::Node>& nodes = document_.nodes_;
    names_.clear();
    for (std::uint32_t name = container + 1; name < nodes[container].end; name = nodes[name + 1].end) {
      names_.push_back(name);
    }
    const auto text = [&](std::uint32_t name) { return document_.text(nodes[name]); };
    std::ranges::sort(names_, {}, text);
    return std::ranges::adjacent_find(names_, {}, text) == names_.end();
  }

  // Reads a number by the grammar of RFC 8259 section 6.
  bool number() {
    const std::size_t begin = at_;
    const bool negative = take('-');
    const std::size_t digits = at_;
    if (!skip_digits() || (in_[digits] == '0' && at_ != digits + 1)) {
      return false;
    }
    bool whole = !negative;
    if (take('.')) {
      whole = false;
      if (!skip_digits()) {
        return false;
      }
    }
    if (take('e') || take('E')) {
      whole = false;
      static_cast<void>(take('+') || take('-'));
      if (!skip_digits()) {
        return false;
      }
    }
    const ByteSpan text = in_.subspan(begin, at_ - begin);
    JsonDocument::Node& node =
        add(whole && ozks::verify::parse_decimal(text) ? JsonKind::kInteger : JsonKind::kOtherNumber);
    node.begin = static_cast<std::uint32_t>(begin);
    node.length = static_cast<std::uint32_t>(text.size());
    return true;
  }

  bool skip_digits() {
    const std::size_t begin = at_;
    while (more() && is_digit(in_[at_])) {
      ++at_;
    }
    return at_ != begin;
  }

  // Reads a string. Copies it only if it has an escape.
  bool string() {
    ++at_;
    const std::size_t begin = at_;
    while (more() && in_[at_] != '"' && in_[at_] != '\\' && in_[at_] >= 0x20) {
      ++at_;
    }
    if (take('"')) {
      JsonDocument::Node& node = add(JsonKind::kString);
      node.begin = static_cast<std::uint32_t>(begin);
      node.length = static_cast<std::uint32_t>(at_ - 1 - begin);
      return true;
    }
    Bytes& out = document_.decoded_;
    const std::size_t start = out.size();
    out.insert(out.end(), in_.begin() + static_cast<std::ptrdiff_t>(begin),
               in_.begin() + static_cast<std::ptrdiff_t>(at_));
    while (more() && in_[at_] != '"') {
      const std::uint8_t c = in_[at_++];
      if (c < 0x20 || (c == '\\' && !escape(out))) {
        return false;
      }
      if (c != '\\') {
        out.push_back(c);
      }
    }
    if (!take('"')) {
      return false;
    }
    JsonDocument::Node& node = add(JsonKind::kString);
    node.decoded = true;
    node.begin = static_cast<std::uint32_t>(start);
    node.length = static_cast<std::uint32_t>(out.size() - start);
    return true;
  }

  bool escape(Bytes& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (!more()) {
      return false;
    }
    const std::uint8_t c = in_[at_++];
    if (c == 'u') {
      return unicode_escape(out);
    }
    const std::size_t which = kNames.find(static_cast<char>(c));
    if (which == std::string_view::npos) {
      return false;
    }
    out.push_back(static_cast<std::uint8_t>(kMeanings[which]));
    return true;
  }

  // Reads the digits of an escape, and the escape after it if the two are a surrogate pair.
  bool unicode_escape(Bytes& out) {
    const std::optional<char32_t> first = four_digits();
    if (!first || (*first >= 0xDC00 && *first <= 0xDFFF)) {
      return false;
    }
    if (*first < 0xD800 || *first > 0xDFFF) {
      append_utf8(*first, out);
      return true;
    }
    if (!take_word("\\u")) {
      return false;
    }
    const std::optional<char32_t> second = four_digits();
    if (!second || *second < 0xDC00 || *second > 0xDFFF) {
      return false;
    }
    append_utf8(0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00), out);
    return true;
  }

  std::optional<char32_t> four_digits() {
    if (in_.size() - at_ < 4) {
      return std::nullopt;
    }
    char32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      const std::optional<std::uint32_t> digit = hex_digit(in_[at_++]);
      if (!digit) {
        return std::nullopt;
      }
      value = value << 4 | *digit;
    }
    return value;
  }

  JsonDocument& document_;
  ByteSpan in_;
  std::size_t at_ = 0;
  std::size_t max_depth_;
  std::array<std::uint32_t, JsonDocument::kMaxDepth> open_{};
  std::size_t depth_ = 0;
  bool first_ = false;  // nothing was read yet of the innermost container
  std::vector<std::uint32_t> names_;
};

std::optional<JsonDocument> JsonDocument::parse(ByteSpan octets, std::size_t max_depth) {
  OPTIKS_CHECK(max_depth <= kMaxDepth);
  // JSON has no octets outside of strings that UTF-8 does not allow, so the whole document is checked at once.
  if (octets.size() > kMaxLen || !ozks::verify::is_utf8(octets)) {
    return std::nullopt;
  }
  JsonDocument document;
  document.octets_ = octets;
  return JsonParser(document, max_depth).parse() ? std::optional(std::move(document)) : std::nullopt;
}

std::string_view JsonDocument::text(const Node& node) const {
  return text_of((node.decoded ? ByteSpan(decoded_) : octets_).subspan(node.begin, node.length));
}

JsonKind JsonValue::kind() const { return document_ == nullptr ? JsonKind::kAbsent : document_->nodes_[index_].kind; }

std::optional<std::uint64_t> JsonValue::integer() const {
  return kind() == JsonKind::kInteger
             ? ozks::verify::parse_decimal(octets_of(document_->text(document_->nodes_[index_])))
             : std::nullopt;
}

std::optional<std::string_view> JsonValue::text() const {
  return kind() == JsonKind::kString ? std::optional(document_->text(document_->nodes_[index_])) : std::nullopt;
}

JsonValue JsonValue::member(std::string_view name) const {
  if (!is_object()) {
    return {};
  }
  const auto& nodes = document_->nodes_;
  for (std::size_t at = index_ + 1; at < nodes[index_].end; at = nodes[at + 1].end) {
    if (document_->text(nodes[at]) == name) {
      return {document_, at + 1, 0};
    }
  }
  return {};
}

bool JsonValue::has_only(std::initializer_list<std::string_view> names) const {
  if (!is_object()) {
    return false;
  }
  const auto& nodes = document_->nodes_;
  for (std::size_t at = index_ + 1; at < nodes[index_].end; at = nodes[at + 1].end) {
    if (std::ranges::find(names, document_->text(nodes[at])) == names.end()) {
      return false;
    }
  }
  return true;
}

JsonValue JsonValue::first_element() const {
  const std::size_t end = is_array() ? document_->nodes_[index_].end : 0;
  return index_ + 1 < end ? JsonValue(document_, index_ + 1, end) : JsonValue();
}

JsonValue JsonValue::next_element() const {
  if (is_absent()) {
    return {};
  }
  const std::size_t next = document_->nodes_[index_].end;
  return next < end_ ? JsonValue(document_, next, end_) : JsonValue();
}

}  // namespace optiks::client
