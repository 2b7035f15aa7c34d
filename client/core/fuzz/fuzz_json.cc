// Reads a JSON document, and writes all of its values again: the written document must have the same values.
#include <string>

#include "optiks/base/check.h"
#include "optiks/client/json.h"

using namespace optiks::client;

namespace {

// Writes the values of arrays. Members cannot be listed, so the input looks up only those with the name "a".
void write(JsonWriter& out, JsonValue value) {
  switch (value.kind()) {
    case JsonKind::kArray:
      out.begin_array();
      for (JsonValue element = value.first_element(); !element.is_absent(); element = element.next_element()) {
        write(out, element);
      }
      out.end_array();
      break;
    case JsonKind::kObject:
      out.begin_object();
      if (const JsonValue member = value.member("a"); !member.is_absent()) {
        out.name("a");
        write(out, member);
      }
      out.end_object();
      break;
    case JsonKind::kString:
      out.string(*value.text());
      break;
    case JsonKind::kInteger:
      out.integer(*value.integer());
      break;
    default:
      out.boolean(value.kind() == JsonKind::kTrue);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = JsonDocument::parse(ByteSpan(data, size), JsonDocument::kMaxDepth);
  if (document) {
    JsonWriter first;
    write(first, document->root());
    const auto again = JsonDocument::parse(octets_of(first.text()), JsonDocument::kMaxDepth);
    OPTIKS_CHECK(again.has_value());
    JsonWriter second;
    write(second, again->root());
    OPTIKS_CHECK(first.text() == second.text());
  }
  return 0;
}
