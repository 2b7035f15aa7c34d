// Tests the reader of receipts in answers to updates.
#include "optiks/client/receipt_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "mutate.h"
#include "optiks/client/answer_json.h"

namespace optiks::client::test {
namespace {

constexpr std::string_view kAcceptedUpdate =
    R"({"request_id":"0193a2f0-7c1e-7abc-8def-0123456789ab","receipt":"a\nb \u2014\n","receipt_keys":"c",)"
    R"("status":"pending",)"
    R"("status_url":"/v1/updates/0193a2f0-7c1e-7abc-8def-0123456789ab"})";

TEST(ReceiptAnswer, Table) {
  const std::vector<std::pair<std::string, bool>> answers = {
      {R"({"receipt":"a","receipt_keys":"b"})", true},
      {R"({"receipt_keys":"b","more":[{}],"receipt":"a"})", true},
      {R"({"request_id":"x","status":"pending","status_url":"/v1/updates/x"})", false},
      {R"({"receipt":"a"})", false},
      {R"({"receipt_keys":"b"})", false},
      {R"({"receipt":"a","receipt_keys":null})", false},
      {R"({"receipt":1,"receipt_keys":"b"})", false},
      {R"({"receipt":["a"],"receipt_keys":"b"})", false},
      {R"({"receipt":"a","receipt_keys":"b","receipt":"a"})", false},
      {R"({"receipt":"\ud800","receipt_keys":"b"})", false},
      {"{\"receipt\":\"a\",\"receipt_keys\":\"\xff\"}", false},
      {R"({"receipt":"a","receipt_keys":"b"}{})", false},
      {R"([{"receipt":"a","receipt_keys":"b"}])", false},
      {R"({})", false},
      {R"([])", false},
      {R"("receipt")", false},
      {R"(accepted)", false},
      {"", false},
  };
  for (const auto& [answer, is_receipt] : answers) {
    const std::optional<ReceiptNotes> notes = read_receipt_notes(octets_of(answer));
    EXPECT_EQ(notes, is_receipt ? std::optional(ReceiptNotes{.receipt = {'a'}, .keys = {'b'}}) : std::nullopt)
        << answer;
  }
}

TEST(ReceiptAnswer, NotesAreTheOctetsOfTheTexts) {
  const std::optional<ReceiptNotes> notes = read_receipt_notes(octets_of(kAcceptedUpdate));
  ASSERT_TRUE(notes.has_value());
  EXPECT_EQ(text_of(notes->receipt), "a\nb \u2014\n");
  EXPECT_EQ(text_of(notes->keys), "c");
}

TEST(ReceiptAnswer, BoundedAnswer) {
  std::string answer(kAcceptedUpdate);
  answer.append(kMaxStatusLen - answer.size(), '\n');
  EXPECT_TRUE(read_receipt_notes(octets_of(answer)).has_value());
  answer.push_back('\n');
  EXPECT_FALSE(read_receipt_notes(octets_of(answer)).has_value());
}

TEST(ReceiptAnswer, Mutants) {
  std::size_t accepted = 0;
  for_each_mutant(kAcceptedUpdate, 3, [&](const Bytes& answer) {
    if (const std::optional<ReceiptNotes> notes = read_receipt_notes(answer)) {
      EXPECT_LE(notes->receipt.size() + notes->keys.size(), answer.size());
      ++accepted;
    }
  });
  EXPECT_GT(accepted, 1000U);
}

}  // namespace
}  // namespace optiks::client::test
