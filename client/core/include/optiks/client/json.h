// A strict reader of JSON (RFC 8259) for documents from servers and for trust anchors, and a writer for request bodies.
//
// The reader refuses documents that two correct parsers may understand differently: octets that are not UTF-8, a byte
// order mark, escapes of half a surrogate pair, two members of one object with the same name, and octets after the
// document. Numbers are never rounded: a whole number from 0 to 2^64 - 1 in plain digits is an integer, and every other
// number is of a kind from which no field can be read.
//
// Memory: while a document of n octets is parsed, it takes at most 30 n octets and a constant. The parser does not
// recurse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "optiks/client/octets.h"

namespace optiks::client {

// kAbsent is the kind of a member or element that does not exist, so that callers can look up a path without checking
// each step.
enum class JsonKind : std::uint8_t { kAbsent, kNull, kFalse, kTrue, kInteger, kOtherNumber, kString, kArray, kObject };

class JsonDocument;

// One value of a document. Values are small and are copied; they are valid as long as the document.
class JsonValue {
 public:
  JsonValue() = default;  // kAbsent

  [[nodiscard]] JsonKind kind() const;
  [[nodiscard]] bool is_object() const { return kind() == JsonKind::kObject; }
  [[nodiscard]] bool is_array() const { return kind() == JsonKind::kArray; }
  [[nodiscard]] bool is_absent() const { return kind() == JsonKind::kAbsent; }

  // Returns an integer, or nullopt for other kinds.
  [[nodiscard]] std::optional<std::uint64_t> integer() const;
  // Returns the UTF-8 text of a string without its escapes, or nullopt for other kinds. The text may contain U+0000.
  [[nodiscard]] std::optional<std::string_view> text() const;

  // Returns a member of an object. The result is absent if the object has no such member or this is no object.
  [[nodiscard]] JsonValue member(std::string_view name) const;
  // Returns true if this is an object and all of its members have one of these names.
  [[nodiscard]] bool has_only(std::initializer_list<std::string_view> names) const;

  // Returns the first element of an array, and the element after this one. The results are absent at the end, and if
  // this is no array.
  [[nodiscard]] JsonValue first_element() const;
  [[nodiscard]] JsonValue next_element() const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument* document, std::size_t index, std::size_t end)
      : document_(document), index_(index), end_(end) {}

  const JsonDocument* document_ = nullptr;
  std::size_t index_ = 0;
  std::size_t end_ = 0;  // the index after the last node of the array that has this value as an element
};

// A parsed document. It points into the octets that it was parsed from, which must outlive it.
class JsonDocument {
 public:
  // The deepest nesting that a caller may allow, and the longest document.
  static constexpr std::size_t kMaxDepth = 16;
  static constexpr std::size_t kMaxLen = std::size_t{16} << 20;

  // Parses a document. Returns nullopt if it breaks a rule of this file's head, or if it has more than `max_depth`
  // arrays and objects inside each other. `max_depth` must be at most kMaxDepth.
  static std::optional<JsonDocument> parse(ByteSpan octets, std::size_t max_depth);

  JsonDocument(JsonDocument&&) = default;
  JsonDocument& operator=(JsonDocument&&) = default;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  ~JsonDocument() = default;

  [[nodiscard]] JsonValue root() const { return {this, 0, 0}; }

 private:
  friend class JsonParser;
  friend class JsonValue;

  // Invariants: (1) The nodes are in the order of the document. A container is followed by its contents, an object's
  // contents being name, value, name, value and so on; `end` is the index after them. (2) If `decoded` is set,
  // [begin, begin + length) is a part of decoded_, else of octets_. Containers have no text.
  struct Node {
    JsonKind kind = JsonKind::kNull;
    bool decoded = false;
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    std::uint32_t end = 0;
  };

  JsonDocument() = default;
  [[nodiscard]] std::string_view text(const Node& node) const;

  ByteSpan octets_;
  std::vector<Node> nodes_;
  Bytes decoded_;  // the texts of strings with escapes
};

// Writes one JSON object, which is the body of a request. The names of members are literals of the program that need no
// escapes. Strings must be UTF-8.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& name(std::string_view name);
  JsonWriter& string(std::string_view text);
  JsonWriter& integer(std::uint64_t value);
  JsonWriter& boolean(bool value);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  // Writes a comma if the next value or name is not the first of its container.
  void separate();

  std::string text_;
  bool comma_ = false;
};

}  // namespace optiks::client
