// The data of Unicode 15.0.0 that prepare_username() uses (docs/spec/usernames.md section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace optiks::ozks::names {

// The class of a character in the IdentifierClass of PRECIS (RFC 8264 section 4.2). A character of class kContext is
// valid only where the rules of RFC 5892 appendix A allow it.
enum class Class : std::uint8_t { kRefused, kValid, kContext };

// A character's bidirectional class in Unicode.
enum class Bidi : std::uint8_t { kL, kR, kAL, kAN, kEN, kES, kCS, kET, kON, kBN, kNSM };

// The sides on which a letter of a cursive script joins its neighbours.
enum class Joining : std::uint8_t { kNone, kLeft, kRight, kDual, kTransparent };

// The scripts that the rules of RFC 5892 name. kKana means Hiragana, Katakana and Han; kOther means every other script.
enum class Script : std::uint8_t { kOther, kGreek, kHebrew, kKana };

// The result of a mapping: one or two characters. `second` is 0 if there is only one.
struct Mapped {
  char32_t first;
  char32_t second;
};

[[nodiscard]] Class class_of(char32_t c);
[[nodiscard]] Bidi bidi_of(char32_t c);
[[nodiscard]] Joining joining_of(char32_t c);
[[nodiscard]] Script script_of(char32_t c);
// Returns the character's canonical combining class, which is 0 for most characters.
[[nodiscard]] std::uint8_t combining_class_of(char32_t c);
// Returns the ordinary form of a fullwidth or halfwidth character; returns other characters unchanged.
[[nodiscard]] char32_t narrow(char32_t c);
// Returns the lower case of the character. The result does not depend on the characters around it.
[[nodiscard]] Mapped lower(char32_t c);
// Returns the two characters into which a composed character decomposes. Hangul syllables are composed characters too.
// Returns nullopt for other characters.
[[nodiscard]] std::optional<Mapped> decompose(char32_t c);
// Returns the character that decompose() decomposes into these two, or nullopt if no character does.
[[nodiscard]] std::optional<char32_t> compose(char32_t first, char32_t second);

}  // namespace optiks::ozks::names
