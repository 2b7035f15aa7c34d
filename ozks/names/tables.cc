#include "names/tables.h"

#include <algorithm>
#include <iterator>

namespace optiks::ozks::names {
namespace {

template <typename T>
struct Range {
  char32_t first;
  char32_t last;
  T value;
};

struct Mapping {
  char32_t from;
  char32_t to;
  char32_t then;  // 0 if there is no second character
};

struct Composition {
  char32_t first;
  char32_t second;
  char32_t composed;
};

struct CompositionNumber {
  std::uint16_t number;
};

#include "names/tables.inc"

// Hangul syllables are not in the tables, because their parts are computed (The Unicode Standard, section 3.12).
constexpr char32_t kSyllables = 0xAC00;
constexpr char32_t kLeading = 0x1100;
constexpr char32_t kVowels = 0x1161;
constexpr char32_t kTrailing = 0x11A7;
constexpr char32_t kNumLeading = 19;
constexpr char32_t kNumVowels = 21;
constexpr char32_t kNumTrailing = 28;  // this number includes "no trailing consonant"
constexpr char32_t kNumSyllables = kNumLeading * kNumVowels * kNumTrailing;

// Returns the value of the range that contains the character, or `otherwise` if no range contains it.
template <typename T, std::size_t N>
T find(const Range<T> (&ranges)[N], char32_t c, T otherwise) {
  const auto* after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                       [](char32_t wanted, const Range<T>& range) { return wanted < range.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last ? std::prev(after)->value : otherwise;
}

template <std::size_t N>
Mapped map(const Mapping (&mappings)[N], char32_t c) {
  const auto* found = std::lower_bound(std::begin(mappings), std::end(mappings), c,
                                       [](const Mapping& mapping, char32_t wanted) { return mapping.from < wanted; });
  return found != std::end(mappings) && found->from == c ? Mapped{found->to, found->then} : Mapped{c, 0};
}

}  // namespace

Class class_of(char32_t c) { return find(kClasses, c, Class::kRefused); }

Bidi bidi_of(char32_t c) { return find(kBidi, c, Bidi::kL); }

Joining joining_of(char32_t c) { return find(kJoining, c, Joining::kNone); }

Script script_of(char32_t c) { return find(kScripts, c, Script::kOther); }

std::uint8_t combining_class_of(char32_t c) { return find(kCombining, c, std::uint8_t{0}); }

char32_t narrow(char32_t c) { return map(kNarrow, c).first; }

Mapped lower(char32_t c) { return map(kLower, c); }

std::optional<Mapped> decompose(char32_t c) {
  if (c >= kSyllables && c < kSyllables + kNumSyllables) {
    const char32_t number = c - kSyllables;
    const char32_t trailing = number % kNumTrailing;
    if (trailing != 0) {
      return Mapped{c - trailing, kTrailing + trailing};
    }
    return Mapped{kLeading + number / (kNumVowels * kNumTrailing), kVowels + number / kNumTrailing % kNumVowels};
  }
  const auto* found = std::lower_bound(
      std::begin(kByCharacter), std::end(kByCharacter), c,
      [](CompositionNumber at, char32_t wanted) { return kCompositions[at.number].composed < wanted; });
  if (found == std::end(kByCharacter) || kCompositions[found->number].composed != c) {
    return std::nullopt;
  }
  return Mapped{kCompositions[found->number].first, kCompositions[found->number].second};
}

std::optional<char32_t> compose(char32_t first, char32_t second) {
  if (first >= kLeading && first < kLeading + kNumLeading && second >= kVowels && second < kVowels + kNumVowels) {
    return kSyllables + ((first - kLeading) * kNumVowels + (second - kVowels)) * kNumTrailing;
  }
  const bool is_open_syllable =
      first >= kSyllables && first < kSyllables + kNumSyllables && (first - kSyllables) % kNumTrailing == 0;
  if (is_open_syllable && second > kTrailing && second < kTrailing + kNumTrailing) {
    return first + (second - kTrailing);
  }
  const auto* found = std::lower_bound(std::begin(kCompositions), std::end(kCompositions), Mapped{first, second},
                                       [](const Composition& composition, const Mapped& wanted) {
                                         return composition.first != wanted.first ? composition.first < wanted.first
                                                                                  : composition.second < wanted.second;
                                       });
  if (found == std::end(kCompositions) || found->first != first || found->second != second) {
    return std::nullopt;
  }
  return found->composed;
}

}  // namespace optiks::ozks::names
