#include "optiks/client/problem.h"

#include <string_view>
#include <utility>

#include "optiks/client/answer_json.h"
#include "optiks/client/display_text.h"

namespace optiks::client {
namespace {

constexpr std::size_t kMaxTextLen = 500;

std::optional<std::string> display_text(JsonValue root, std::string_view name) {
  const std::optional<std::string_view> text = root.member(name).text();
  return text ? std::optional(escape_for_display(*text, kMaxTextLen)) : std::nullopt;
}

}  // namespace

Problem read_problem(ByteSpan body) {
  constexpr std::string_view kUrn = "urn:optiks:problem:";
  Problem problem;
  const std::optional<JsonDocument> document = parse_answer(body, kMaxProblemLen);
  if (!document) {
    return problem;
  }
  const JsonValue root = document->root();
  if (std::optional<std::string> type = display_text(root, "type"); type && type->starts_with(kUrn)) {
    problem.name = type->substr(kUrn.size());
  }
  problem.detail = display_text(root, "detail");
  if (!problem.detail) {
    problem.detail = display_text(root, "title");
  }
  problem.field = display_text(root, "field");
  problem.trace_id = display_text(root, "trace_id");
  return problem;
}

}  // namespace optiks::client
