// The data of Unicode 15.0.0 for prepare_username: docs/spec/usernames.md section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace optiks::ozks::names {

// The class of a character in PRECIS' IdentifierClass (RFC 8264 section 4.2); kContext depends on the rules of RFC 5892
// appendix A.
enum class Class : std::uint8_t { kRefused, kValid, kContext };

// The bidirectional class of Unicode.
enum class Bidi : std::uint8_t { kL, kR, kAL, kAN, kEN, kES, kCS, kET, kON, kBN, kNSM };

// How a letter joins its neighbours, in cursive scripts.
enum class Joining : std::uint8_t { kNone, kLeft, kRight, kDual, kTransparent };

// The scripts that a rule names; kKana is Hiragana, Katakana and Han, and kOther is every other script.
enum class Script : std::uint8_t { kOther, kGreek, kHebrew, kKana };

// One character or two; the second is 0 if there is only one.
struct Mapped {
  char32_t first;
  char32_t second;
};

[[nodiscard]] Class class_of(char32_t c);
[[nodiscard]] Bidi bidi_of(char32_t c);
[[nodiscard]] Joining joining_of(char32_t c);
[[nodiscard]] Script script_of(char32_t c);
// Returns the canonical combining class; 0 for most characters.
[[nodiscard]] std::uint8_t combining_class_of(char32_t c);
// Returns the ordinary character for a fullwidth or halfwidth one, otherwise the character itself.
[[nodiscard]] char32_t narrow(char32_t c);
// Returns the lower case, without regard to the characters around it.
[[nodiscard]] Mapped lower(char32_t c);
// Returns the two characters of a composed character, including Hangul syllables; nothing for other characters.
[[nodiscard]] std::optional<Mapped> decompose(char32_t c);
// The reverse of decompose.
[[nodiscard]] std::optional<char32_t> compose(char32_t first, char32_t second);

}  // namespace optiks::ozks::names
