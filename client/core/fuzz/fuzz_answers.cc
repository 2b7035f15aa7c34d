// Reads one input with every reader of servers' JSON, and checks the bounds that callers rely on.
#include <algorithm>
#include <string>

#include "optiks/base/check.h"
#include "optiks/client/cosignatures.h"
#include "optiks/client/problem.h"
#include "optiks/client/receipt_answer.h"
#include "optiks/client/request_status.h"

using namespace optiks::client;

namespace {

void check_text(const std::optional<std::string>& text) {
  OPTIKS_CHECK(!text || text->size() <= 514);
  OPTIKS_CHECK(!text || std::ranges::all_of(*text, [](char c) { return c >= ' ' && c <= '~'; }));
}

void check_refusal(const RefusedRequest& refused) {
  OPTIKS_CHECK(!refused.reason.empty() && refused.reason.size() <= 64);
  check_text(refused.reason);
}

void check_update(ByteSpan answer) {
  const std::optional<UpdateStatus> status = read_update_status(answer);
  if (!status) {
    return;
  }
  if (const auto* refused = std::get_if<RefusedRequest>(&*status)) {
    check_refusal(*refused);
  } else if (const auto* published = std::get_if<PublishedRequest>(&*status)) {
    OPTIKS_CHECK(!published->items.empty());
    for (const PublishedItem& item : published->items) {
      OPTIKS_CHECK(item.key.size() <= optiks::ozks::verify::kMaxKeyLen);
      OPTIKS_CHECK(optiks::ozks::verify::is_structure(item.structure));
    }
    std::vector<PublishedItem> items = published->items;
    name_items(items, answer, {AddUsername{{1}}});
    for (const PublishedItem& item : items) {
      OPTIKS_CHECK(!item.key.empty() || item.item > 2);
    }
  }
}

void check_erasure(ByteSpan answer, const Erasure& erasure, bool allows_lists, bool allows_keys) {
  const std::optional<ErasureStatus> status = read_erasure_status(answer, erasure, 3);
  if (!status) {
    return;
  }
  if (const auto* refused = std::get_if<RefusedRequest>(&*status)) {
    check_refusal(*refused);
  } else if (const auto* erased = std::get_if<ErasedRequest>(&*status)) {
    for (const ErasedVersion& version : erased->erased) {
      OPTIKS_CHECK((allows_lists && version.structure == optiks::ozks::verify::kDevices) ||
                   (allows_keys && version.structure == optiks::ozks::verify::kKeys));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan answer(data, size);
  const VersionRange versions{.period = 3, .from = 1, .to = 2};
  check_update(answer);
  check_erasure(answer, KeyErasure{.key = {1}, .versions = versions}, false, true);
  check_erasure(answer, UserErasure{.user = {1}, .versions = versions}, true, false);
  check_erasure(answer, UserErasure{.user = {1}}, true, true);
  const Problem problem = read_problem(answer);
  for (const auto& text : {problem.name, problem.detail, problem.field, problem.trace_id}) {
    check_text(text);
  }
  std::size_t total = 0;
  const std::vector<Bytes> notes = read_cosignatures(answer);
  OPTIKS_CHECK(notes.size() <= kMaxCosignedNotes);
  for (const Bytes& note : notes) {
    total += note.size();
  }
  if (const std::optional<ReceiptNotes> receipt = read_receipt_notes(answer)) {
    OPTIKS_CHECK(notes.empty());
    total += receipt->receipt.size() + receipt->keys.size();
  }
  OPTIKS_CHECK(total <= size);
  return 0;
}
