// Tests the reader of answers with cosignatures, also with tests/vectors/cosigners/judged.json.
#include "optiks/client/cosignatures.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "mutate.h"
#include "optiks/client/json.h"
#include "vectors.h"

namespace optiks::client::test {
namespace {

std::string cosignatures_answer(std::size_t count, std::string_view note = "note\n") {
  JsonWriter out;
  out.begin_object().name("checkpoints").begin_array();
  for (std::size_t i = 0; i < count; ++i) {
    out.string(note);
  }
  out.end_array().end_object();
  return out.text();
}

TEST(Cosignatures, Table) {
  const std::map<std::string, std::vector<std::string>> answers = {
      {R"({"checkpoints":["a\nb\n","\u00e9\ud83d\ude42"]})", {"a\nb\n", "\u00e9\U0001F642"}},
      {R"( { "checkpoints" : [ "" ] } )", {""}},
      {R"({"\u0063heckpoints":["a"]})", {"a"}},
      {R"({"checkpoints":[]})", {}},
      {R"({})", {}},
      {R"([])", {}},
      {R"(null)", {}},
      {R"(["a"])", {}},
      {R"("checkpoints")", {}},
      {R"(checkpoints)", {}},
      {R"({"checkpoints":null})", {}},
      {R"({"checkpoints":"a"})", {}},
      {R"({"checkpoints":{"a":"b"}})", {}},
      {R"({"checkpoints":[1]})", {}},
      {R"({"checkpoints":["a",1]})", {}},
      {R"({"checkpoints":["a",null]})", {}},
      {R"({"checkpoints":[["a"]]})", {}},
      {R"({"checkpoints":["a"],"more":1})", {}},
      {R"({"checkpoints":["a"],"checkpoints":["a"]})", {}},
      {R"({"checkpoints":["a"],"\u0063heckpoints":["a"]})", {}},
      {R"({"Checkpoints":["a"]})", {}},
      {R"({"checkpoints":["a","\ud800"]})", {}},
      {"{\"checkpoints\":[\"a\",\"\xff\"]}", {}},
      {"\xef\xbb\xbf{\"checkpoints\":[\"a\"]}", {}},
      {R"({"checkpoints":["a",]})", {}},
      {R"({"checkpoints":["a"]}x)", {}},
      {R"({"checkpoints":["a"])", {}},
  };
  for (const auto& [answer, notes] : answers) {
    std::vector<std::string> read;
    for (const Bytes& note : read_cosignatures(octets_of(answer))) {
      read.emplace_back(text_of(note));
    }
    EXPECT_EQ(read, notes) << answer;
  }
}

TEST(Cosignatures, Bounds) {
  EXPECT_EQ(read_cosignatures(octets_of(cosignatures_answer(64))).size(), 64U);
  EXPECT_TRUE(read_cosignatures(octets_of(cosignatures_answer(65))).empty());
  std::string answer = cosignatures_answer(2);
  answer.append(262'144 - answer.size(), ' ');
  EXPECT_EQ(read_cosignatures(octets_of(answer)).size(), 2U);
  answer.push_back(' ');
  EXPECT_TRUE(read_cosignatures(octets_of(answer)).empty());
}

// The expectations are from the answers' text alone: an answer has no notes if its kind breaks the form.
TEST(Cosignatures, Vectors) {
  std::map<std::string, std::size_t> counts;
  const nlohmann::json vectors = ozks::verify::test::load_vectors("cosigners/judged.json")["vectors"];
  for (const nlohmann::json& v : vectors) {
    const std::string text = v["answer"];
    const std::string kind = v["kind"];
    const std::vector<Bytes> notes = read_cosignatures(octets_of(text));
    counts[kind] = notes.size();
    const bool has_form =
        kind != "not_json" && kind != "a_member_more" && kind != "a_member_twice" && kind != "a_note_that_is_no_text";
    const nlohmann::json expected = has_form ? nlohmann::json::parse(text)["checkpoints"] : nlohmann::json::array();
    ASSERT_EQ(notes.size(), expected.size()) << kind;
    for (std::size_t i = 0; i < notes.size(); ++i) {
      EXPECT_EQ(text_of(notes[i]), expected[i].get<std::string>()) << kind;
    }
  }
  EXPECT_EQ(vectors.size(), 53U);
  EXPECT_EQ(counts["a_member_twice"] + counts["a_member_more"] + counts["not_json"] + counts["no_notes"], 0U);
}

TEST(Cosignatures, Mutants) {
  std::size_t accepted = 0;
  for_each_mutant(R"({"checkpoints":["a\n1\n\n\u2014 b c\n","d"]})", 2, [&](const Bytes& answer) {
    const std::vector<Bytes> notes = read_cosignatures(answer);
    EXPECT_LE(notes.size(), kMaxCosignedNotes);
    std::size_t total = 0;
    for (const Bytes& note : notes) {
      total += note.size();
    }
    EXPECT_LE(total, answer.size());
    accepted += notes.empty() ? 0 : 1;
  });
  EXPECT_GT(accepted, 200U);
}

}  // namespace
}  // namespace optiks::client::test
