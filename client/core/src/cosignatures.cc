#include "optiks/client/cosignatures.h"

#include <optional>
#include <string_view>

#include "optiks/client/answer_json.h"

namespace optiks::client {

std::vector<Bytes> read_cosignatures(ByteSpan answer) {
  std::vector<Bytes> notes;
  const std::optional<JsonDocument> document = parse_answer(answer, kMaxCosignaturesLen);
  if (!document || !document->root().has_only({"checkpoints"})) {
    return notes;
  }
  const JsonValue list = document->root().member("checkpoints");
  for (JsonValue element = list.first_element(); !element.is_absent(); element = element.next_element()) {
    const std::optional<std::string_view> text = element.text();
    if (!text || notes.size() == kMaxCosignedNotes) {
      return {};
    }
    const ByteSpan note = octets_of(*text);
    notes.emplace_back(note.begin(), note.end());
  }
  return notes;
}

}  // namespace optiks::client
