// Tests the reader and the writer of JSON.
#include "optiks/client/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace optiks::client::test {
namespace {

std::optional<JsonDocument> parse(std::string_view text, std::size_t max_depth = 4) {
  return JsonDocument::parse(octets_of(text), max_depth);
}

// Renders a value as nlohmann's library would, for comparison with it. Numbers that are no integers become null.
nlohmann::json rendered(JsonValue value, const nlohmann::json& like) {
  switch (value.kind()) {
    case JsonKind::kNull:
    case JsonKind::kOtherNumber:
      return nullptr;
    case JsonKind::kFalse:
      return false;
    case JsonKind::kTrue:
      return true;
    case JsonKind::kInteger:
      return *value.integer();
    case JsonKind::kString:
      return std::string(*value.text());
    case JsonKind::kArray: {
      nlohmann::json array = nlohmann::json::array();
      std::size_t at = 0;
      for (JsonValue element = value.first_element(); !element.is_absent(); element = element.next_element()) {
        array.push_back(rendered(element, at < like.size() ? like[at] : nlohmann::json()));
        ++at;
      }
      return array;
    }
    case JsonKind::kObject: {
      nlohmann::json object = nlohmann::json::object();
      for (const auto& [name, member] : like.items()) {
        object[name] = rendered(value.member(name), member);
      }
      return object;
    }
    case JsonKind::kAbsent:
      return "absent";
  }
  return nullptr;
}

// Makes numbers that are no integers null, as rendered() does.
nlohmann::json without_other_numbers(nlohmann::json value) {
  if (value.is_structured()) {
    for (auto& element : value) {
      element = without_other_numbers(element);
    }
  } else if (value.is_number() && !value.is_number_unsigned()) {
    return nullptr;
  }
  return value;
}

TEST(Json, KindsAndValues) {
  const auto document = parse(R"( {"a": [0, 18446744073709551615, "x\u00e9\uD83D\uDE00\n\/"], "b": {}, "c": null} )");
  ASSERT_TRUE(document);
  const JsonValue root = document->root();
  EXPECT_TRUE(root.is_object());
  EXPECT_TRUE(root.has_only({"a", "b", "c"}));
  EXPECT_FALSE(root.has_only({"a", "b"}));
  JsonValue element = root.member("a").first_element();
  EXPECT_EQ(element.integer(), 0U);
  element = element.next_element();
  EXPECT_EQ(element.integer(), 18446744073709551615U);
  EXPECT_FALSE(element.text());
  element = element.next_element();
  EXPECT_EQ(element.text(), "x\u00e9\U0001F600\n/");
  EXPECT_TRUE(element.next_element().is_absent());
  EXPECT_TRUE(root.member("b").is_object());
  EXPECT_TRUE(root.member("b").has_only({}));
  EXPECT_EQ(root.member("c").kind(), JsonKind::kNull);
}

TEST(Json, AbsentValuesHaveNothing) {
  const auto document = parse(R"({"a": 1})");
  ASSERT_TRUE(document);
  for (const JsonValue value : {JsonValue(), document->root().member("b"), document->root().member("a").member("a"),
                                document->root().first_element(), document->root().member("a").next_element()}) {
    EXPECT_TRUE(value.is_absent());
    EXPECT_FALSE(value.integer());
    EXPECT_FALSE(value.text());
    EXPECT_FALSE(value.has_only({}));
    EXPECT_TRUE(value.member("a").is_absent());
    EXPECT_TRUE(value.first_element().is_absent());
    EXPECT_TRUE(value.next_element().is_absent());
  }
}

// The value of a member that is the last of its object must not be followed by the next element of an outer array.
TEST(Json, ElementsEndWithTheirArray) {
  const auto document = parse(R"([[1], {"a": 2}, 3])");
  ASSERT_TRUE(document);
  const JsonValue first = document->root().first_element();
  EXPECT_TRUE(first.first_element().next_element().is_absent());
  EXPECT_TRUE(first.next_element().member("a").next_element().is_absent());
  EXPECT_EQ(first.next_element().next_element().integer(), 3U);
}

TEST(Json, OnlyWholeNumbersBelow2To64AreIntegers) {
  for (const char* text : {"-0", "-1", "1.0", "1e0", "1E+0", "0.5", "18446744073709551616", "1e999",
                           "100000000000000000000000000000000000000000"}) {
    const auto document = parse(text);
    ASSERT_TRUE(document) << text;
    EXPECT_EQ(document->root().kind(), JsonKind::kOtherNumber) << text;
    EXPECT_FALSE(document->root().integer()) << text;
  }
}

TEST(Json, RefusedDocuments) {
  for (const std::string_view text :
       {"",         " ",      "{",         "}",        "[",          "]",         "[1",      "[1,",       "[1,]",
        "[,1]",     "[1 2]",  "{\"a\"}",   "{\"a\":}", "{\"a\":1,}", "{\"a\" 1}", "{,}",     "{1:2}",     "{a:1}",
        "{'a':1}",  "[1}",    "{\"a\":1]", "1 2",      "{} {}",      "{}x",       "nul",     "True",      "NaN",
        "Infinity", "01",     "-",         "+1",       "1.",         ".1",        "1e",      "1e+",       "-01",
        "0x1",      "00",     "\"",        "\"a",      "\"\\",       "\"\\\"",    "\"\\x\"", "\"\\u12\"", "\"\\u123g\"",
        "\"\n\"",   "\"\t\"", "// c\n1",   "/* c */1", "1//",        "[1]\v",     "\f1"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
  EXPECT_FALSE(parse(std::string_view("\"\0\"", 3)));
  EXPECT_FALSE(parse(std::string_view("1\0", 2)));
}

TEST(Json, RefusesTextThatIsNotUtf8) {
  for (const std::string_view text : {"\"\xff\"", "\"\xc3\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"",
                                      "\"\xf4\x90\x80\x80\"", "\xef\xbb\xbf{}", "\xa0", "{\"\x80\":1}"}) {
    EXPECT_FALSE(parse(text));
  }
  // Escapes of half a surrogate pair have no text.
  for (const std::string_view text : {R"("\ud800")", R"("\udc00")", R"("\ud800\ud800")", R"("\ud800x")",
                                      R"("\udc00\ud800")", R"("\ud800\n")", R"({"\ud800":1})", R"("\ud800\u")"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
  EXPECT_TRUE(parse("\"\\u0000\x7f\""));
}

TEST(Json, RefusesAMemberTwice) {
  EXPECT_FALSE(parse(R"({"a":1,"a":1})"));
  EXPECT_FALSE(parse(R"({"a":1,"b":{},"\u0061":2})"));
  EXPECT_FALSE(parse(R"([{"":1,"":2}])"));
  EXPECT_TRUE(parse(R"({"a":{"a":1},"b":{"a":1}})"));
  EXPECT_TRUE(parse(R"({"a":"a","b":"a"})"));
  std::string many = "{\"0\":0";
  for (int i = 1; i < 20000; ++i) {
    many += ",\"" + std::to_string(i) + "\":{\"a\":1}";
  }
  EXPECT_TRUE(parse(many + "}"));
  EXPECT_FALSE(parse(many + ",\"7777\":0}"));
}

TEST(Json, DepthIsBounded) {
  EXPECT_TRUE(parse("[[{\"a\":[1]}]]", 4));
  EXPECT_FALSE(parse("[[{\"a\":[[1]]}]]", 4));
  EXPECT_FALSE(parse("[[{\"a\":[[]]}]]", 4));
  EXPECT_FALSE(parse("[]", 0));
  EXPECT_TRUE(parse("1", 0));
  EXPECT_FALSE(parse(std::string(1000000, '['), JsonDocument::kMaxDepth));
  EXPECT_FALSE(parse(std::string(JsonDocument::kMaxLen, ' ') + "1"));
}

TEST(Json, WritesWhatItReads) {
  JsonWriter writer;
  writer.begin_object().name("request_id").string("a\"\\\n\x1f\u00e9").name("items").begin_array();
  writer.integer(0).integer(18446744073709551615U).boolean(true).begin_object().end_object().end_array();
  writer.name("last").boolean(false).end_object();
  EXPECT_EQ(
      writer.text(),
      "{\"request_id\":\"a\\\"\\\\\\u000a\\u001f\u00e9\",\"items\":[0,18446744073709551615,true,{}],\"last\":false}");
  const auto document = parse(writer.text());
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().member("request_id").text(), "a\"\\\n\x1f\u00e9");
}

// Changed documents: what this reader accepts, nlohmann's reader accepts with the same values.
TEST(Json, AgreesWithAnotherReader) {
  std::mt19937 random(45);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const std::string documents[] = {
      R"({"status":"published","epoch":17,"items":[{"key_b64":"YQ","period":0,"version":1,"item":0}],"proof":{"href":"/v1"}})",
      R"({"checkpoints": ["a\n\u2014 b\n", "\ud83d\ude00"], "n": [true, false, null, -15, 12.5]})",
      R"([{"a": {"b": [1, 2, {"c": "d"}]}, "": "\\\"\/\b\f\n\r\t"}, [], {}, "x"])"};
  constexpr std::string_view kLetters = "\"\\{}[],:0159eE+-. \nu\x80\xc3tnfl\0a";
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = documents[below(std::size(documents))];
    for (std::size_t change = below(4); change > 0; --change) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = kLetters[below(kLetters.size())];
          break;
        case 1:
          text.insert(at, 1, kLetters[below(kLetters.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(3));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(8)));
      }
      if (text.empty()) {
        text = "1";
      }
    }
    const auto document = parse(text, 8);
    if (document) {
      ++accepted;
      const nlohmann::json other = nlohmann::json::parse(text, nullptr, false);
      ASSERT_FALSE(other.is_discarded()) << text;
      ASSERT_EQ(rendered(document->root(), other), without_other_numbers(other)) << text;
    }
  }
  EXPECT_GT(accepted, 5000);
}

}  // namespace
}  // namespace optiks::client::test
