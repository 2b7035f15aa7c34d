// Tests the reader of problem documents.
#include "optiks/client/problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mutate.h"

namespace optiks::client::test {
namespace {

constexpr std::string_view kFullProblem =
    R"({"type":"urn:optiks:problem:forbidden","title":"a title","status":403,"detail":"a detail.","field":"$[3].key",)"
    R"("trace_id":"00-1-2-00","reason":"expired","more":{"a":[1,null]}})";

struct ProblemRow {
  std::string body;
  Problem problem;
};

TEST(Problem, Table) {
  const std::vector<ProblemRow> rows = {
      {std::string(kFullProblem),
       {.name = "forbidden", .detail = "a detail.", .field = "$[3].key", .trace_id = "00-1-2-00"}},
      {R"({"type":"urn:optiks:problem:not-caught-up","title":"a title"})",
       {.name = "not-caught-up", .detail = "a title"}},
      {R"({"type":"\u0075rn:optiks:problem:erased"})", {.name = "erased"}},
      // Members of another type say nothing.
      {R"({"type":["urn:optiks:problem:forbidden"],"detail":1,"title":"t","field":null,"trace_id":{}})",
       {.detail = "t"}},
      // Types of others.
      {R"({"type":"about:blank","title":"Not Found"})", {.detail = "Not Found"}},
      {R"({"type":"URN:optiks:problem:erased"})", {}},
      {R"({"type":"urn:optiks:problem"})", {}},
      {R"({"type":"urn:optiks:problem:"})", {.name = ""}},
      // Characters that would act on a terminal.
      {R"({"type":"urn:optiks:problem:forbidden","detail":"\u001b]0;x\u0007\u202e\u200b\u2028\udb40\udc41"})",
       {.name = "forbidden", .detail = R"(\u001b]0;x\u0007\u202e\u200b\u2028\udb40\udc41)"}},
      {"{\"type\":\"urn:optiks:problem:\u202e\",\"field\":\"\u0085\"}", {.name = R"(\u202e)", .field = R"(\u0085)"}},
      // Bodies that are not problem documents.
      {"", {}},
      {"not found", {}},
      {"<html>502</html>", {}},
      {"null", {}},
      {R"("urn:optiks:problem:forbidden")", {}},
      {R"([{"type":"urn:optiks:problem:forbidden"}])", {}},
      {R"({"type":"urn:optiks:problem:forbidden"} x)", {}},
      {R"({"type":"urn:optiks:problem:forbidden","type":"urn:optiks:problem:erased"})", {}},
      {R"({"type":"urn:optiks:problem:forbidden","detail":"\ud800"})", {}},
      {"{\"type\":\"urn:optiks:problem:forbidden\",\"detail\":\"\xff\"}", {}},
      {R"({"type":"urn:optiks:problem:forbidden","a":[[[[[[[[1]]]]]]]]})", {}},
  };
  for (const ProblemRow& row : rows) {
    EXPECT_EQ(read_problem(octets_of(row.body)), row.problem) << row.body;
  }
}

TEST(Problem, BoundedTexts) {
  const std::string body = R"({"type":"urn:optiks:problem:)" + std::string(1000, 'a') + R"(","detail":")" +
                           std::string(500, 'b') + R"(","field":")" + std::string(499, 'c') + R"(\udb40\udc41d"})";
  const Problem problem = read_problem(octets_of(body));
  EXPECT_EQ(problem.name, std::string(500 - 19, 'a') + "...");
  EXPECT_EQ(problem.detail, std::string(500, 'b'));
  EXPECT_EQ(problem.field, std::string(499, 'c') + R"(\udb40\udc41...)");
}

TEST(Problem, BoundedBody) {
  std::string body(kFullProblem);
  body.append(kMaxProblemLen - body.size(), ' ');
  EXPECT_EQ(read_problem(octets_of(body)).name, "forbidden");
  body.push_back(' ');
  EXPECT_EQ(read_problem(octets_of(body)), Problem{});
}

TEST(Problem, Mutants) {
  std::size_t named = 0;
  const auto is_shown = [](const std::optional<std::string>& text) {
    return !text || (text->size() <= 514 && std::ranges::all_of(*text, [](char c) { return c >= ' ' && c <= '~'; }));
  };
  for_each_mutant(kFullProblem, 1, [&](const Bytes& body) {
    const Problem problem = read_problem(body);
    EXPECT_TRUE(is_shown(problem.name) && is_shown(problem.detail));
    EXPECT_TRUE(is_shown(problem.field) && is_shown(problem.trace_id));
    named += problem.name ? 1 : 0;
  });
  EXPECT_GT(named, 1000U);
}

}  // namespace
}  // namespace optiks::client::test
