#include "optiks/client/receipt_answer.h"

#include <string_view>

#include "optiks/client/answer_json.h"

namespace optiks::client {

std::optional<ReceiptNotes> read_receipt_notes(ByteSpan answer) {
  const std::optional<JsonDocument> document = parse_answer(answer, kMaxStatusLen);
  if (!document) {
    return std::nullopt;
  }
  const std::optional<std::string_view> receipt = document->root().member("receipt").text();
  const std::optional<std::string_view> keys = document->root().member("receipt_keys").text();
  if (!receipt || !keys) {
    return std::nullopt;
  }
  return ReceiptNotes{.receipt = {receipt->begin(), receipt->end()}, .keys = {keys->begin(), keys->end()}};
}

}  // namespace optiks::client
