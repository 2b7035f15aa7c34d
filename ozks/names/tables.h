// What prepare_username needs of Unicode 15.0.0: docs/spec/usernames.md section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace optiks::ozks::names {

// Class: as PRECIS' IdentifierClass (RFC 8264 section 4.2) has a character; kContext by the rules of RFC 5892 appendix
// A.
enum class Class : std::uint8_t { kRefused, kValid, kContext };

// Bidi: the bidirectional class of Unicode.
enum class Bidi : std::uint8_t { kL, kR, kAL, kAN, kEN, kES, kCS, kET, kON, kBN, kNSM };

// Joining: how a letter joins its neighbours, in scripts that are written so.
enum class Joining : std::uint8_t { kNone, kLeft, kRight, kDual, kTransparent };

// Script: as far as a rule asks for one; kKana is Hiragana, Katakana and Han.
enum class Script : std::uint8_t { kOther, kGreek, kHebrew, kKana };

// Mapped: one character or two; the second is 0 then.
struct Mapped {
  char32_t first;
  char32_t second;
};

[[nodiscard]] Class class_of(char32_t c);
[[nodiscard]] Bidi bidi_of(char32_t c);
[[nodiscard]] Joining joining_of(char32_t c);
[[nodiscard]] Script script_of(char32_t c);
// Canonical combining class; 0 for most.
[[nodiscard]] std::uint8_t combining_class_of(char32_t c);
// The ordinary character for one of another width; itself otherwise.
[[nodiscard]] char32_t narrow(char32_t c);
// Lower case without regard to the characters around it.
[[nodiscard]] Mapped lower(char32_t c);
// The two characters that a composed one is made of, Hangul syllables among them; nothing for others.
[[nodiscard]] std::optional<Mapped> decompose(char32_t c);
// The reverse.
[[nodiscard]] std::optional<char32_t> compose(char32_t first, char32_t second);

}  // namespace optiks::ozks::names
