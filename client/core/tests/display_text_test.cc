// Tests that the text of servers becomes printable ASCII.
#include "optiks/client/display_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace optiks::client::test {
namespace {

TEST(DisplayText, EscapesAllButPrintableAscii) {
  EXPECT_EQ(escape_for_display("", 500), "");
  EXPECT_EQ(escape_for_display(R"(a "key" \ ~ $[3].value_b64)", 500), R"(a "key" \ ~ $[3].value_b64)");
  EXPECT_EQ(escape_for_display("\x1b]0;x\x07\u202e\u200b\u2028\U000E0041\x7f\n", 500),
            R"(\u001b]0;x\u0007\u202e\u200b\u2028\udb40\udc41\u007f\u000a)");
  EXPECT_EQ(escape_for_display("\u00e9\U0001F642", 500), R"(\u00e9\ud83d\ude42)");
  EXPECT_EQ(escape_for_display(std::string_view("\0", 1), 500), R"(\u0000)");
  EXPECT_EQ(escape_for_display("\U0010FFFF\uFFFF", 500), R"(\udbff\udfff\uffff)");
}

TEST(DisplayText, CutsLongTexts) {
  EXPECT_EQ(escape_for_display("abcdef", 3), "abc...");
  EXPECT_EQ(escape_for_display("abc", 3), "abc");
  EXPECT_EQ(escape_for_display("a", 0), "...");
  EXPECT_EQ(escape_for_display("ab\U0001F642\U0001F642", 3), R"(ab\ud83d\ude42...)");
}

TEST(DisplayText, AnyOctets) {
  EXPECT_EQ(escape_for_display("a\xff\xc3", 500), R"(a\ufffd\ufffd)");
  std::mt19937 random(9457);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) {
      c = static_cast<char>(random());
    }
    const std::size_t max_len = random() % 60;
    const std::string shown = escape_for_display(text, max_len);
    EXPECT_LE(shown.size(), max_len + 14);
    EXPECT_TRUE(std::ranges::all_of(shown, [](char c) { return c >= ' ' && c <= '~'; })) << shown;
  }
}

}  // namespace
}  // namespace optiks::client::test
