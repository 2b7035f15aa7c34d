#include "names/username.h"

#include <algorithm>
#include <optional>

#include "names/tables.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/text.h"

namespace optiks::ozks::names {
namespace {

using base::ByteSpan;

constexpr char32_t kNonJoiner = 0x200C;
constexpr char32_t kJoiner = 0x200D;
constexpr std::uint8_t kVirama = 9;

// The characters of a name. A name of 255 octets has at most 255 characters. Each of them decomposes into at most four
// characters, and lower-casing may turn one of these into two characters.
class Text {
 public:
  void add(char32_t c) {
    OPTIKS_CHECK(size_ < characters_.size());
    characters_[size_++] = c;
  }
  [[nodiscard]] std::span<char32_t> all() { return std::span(characters_).first(size_); }
  [[nodiscard]] std::span<const char32_t> all() const { return std::span(characters_).first(size_); }

 private:
  std::array<char32_t, 8 * kMaxNameLen> characters_{};
  std::size_t size_ = 0;
};

bool has(std::span<const char32_t> text, char32_t first, char32_t last) {
  return std::ranges::any_of(text, [&](char32_t c) { return c >= first && c <= last; });
}

// True if the character at `at` is between a letter that joins to the left and a letter that joins to the right (RFC
// 5892 appendix A.1).
bool joins_across(std::span<const char32_t> text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && joining_of(text[before - 1]) == Joining::kTransparent) {
    --before;
  }
  std::size_t after = at + 1;
  while (after < text.size() && joining_of(text[after]) == Joining::kTransparent) {
    ++after;
  }
  if (before == 0 || after == text.size()) {
    return false;
  }
  const Joining left = joining_of(text[before - 1]);
  const Joining right = joining_of(text[after]);
  return (left == Joining::kLeft || left == Joining::kDual) && (right == Joining::kRight || right == Joining::kDual);
}

// True if RFC 5892 appendix A allows the character at `at` in this position. The character must be one of class
// kContext.
bool fits_its_place(std::span<const char32_t> text, std::size_t at) {
  const char32_t c = text[at];
  const char32_t before = at > 0 ? text[at - 1] : 0;
  const char32_t after = at + 1 < text.size() ? text[at + 1] : 0;
  switch (c) {
    case kNonJoiner:
      return combining_class_of(before) == kVirama || joins_across(text, at);
    case kJoiner:
      return combining_class_of(before) == kVirama;
    case 0xB7:  // middle dot
      return before == U'l' && after == U'l';
    case 0x375:  // Greek lower numeral sign
      return script_of(after) == Script::kGreek;
    case 0x5F3:  // Hebrew geresh, gershayim
    case 0x5F4:
      return script_of(before) == Script::kHebrew;
    case 0x30FB:  // Katakana middle dot
      return std::ranges::any_of(text, [](char32_t other) { return script_of(other) == Script::kKana; });
    default:  // Arabic-Indic digits and extended Arabic-Indic digits must not be mixed
      return c <= 0x669 ? !has(text, 0x6F0, 0x6F9) : !has(text, 0x660, 0x669);
  }
}

void decompose_into(Text& out, char32_t c) {
  if (const auto parts = decompose(c)) {
    decompose_into(out, parts->first);
    out.add(parts->second);
  } else {
    out.add(c);
  }
}

// Converts the text to Normalization Form C (The Unicode Standard, section 3.11).
void normalize(Text& text) {
  Text apart;
  for (const char32_t c : std::as_const(text).all()) {
    decompose_into(apart, c);
  }
  const std::span<char32_t> characters = apart.all();
  for (auto start = characters.begin(); start != characters.end();) {
    const auto is_starter = [](char32_t c) { return combining_class_of(c) == 0; };
    start = std::find_if_not(start, characters.end(), is_starter);
    const auto end = std::find_if(start, characters.end(), is_starter);
    std::stable_sort(start, end, [](char32_t a, char32_t b) { return combining_class_of(a) < combining_class_of(b); });
    start = end;
  }
  // A character composes with the last starter, unless another starter, or a character with the same combining class,
  // is between them.
  Text composed;
  std::optional<std::size_t> starter;
  std::uint8_t last_class = 0;
  for (const char32_t c : characters) {
    const std::uint8_t its_class = combining_class_of(c);
    const std::size_t size = composed.all().size();
    if (starter && (*starter + 1 == size || (last_class != 0 && last_class < its_class))) {
      if (const auto both = compose(composed.all()[*starter], c)) {
        composed.all()[*starter] = *both;
        continue;
      }
    }
    if (its_class == 0) {
      starter = size;
    }
    last_class = its_class;
    composed.add(c);
  }
  text = composed;
}

// True if the name has no right-to-left character, or keeps the rules of RFC 5893 section 2.
bool keeps_direction(std::span<const char32_t> text) {
  bool has_european = false;
  bool has_arabic = false;
  bool has_right_to_left = false;
  Bidi last = Bidi::kNSM;
  for (const char32_t c : text) {
    const Bidi bidi = bidi_of(c);
    has_right_to_left |= bidi == Bidi::kR || bidi == Bidi::kAL || bidi == Bidi::kAN;
    has_european |= bidi == Bidi::kEN;
    has_arabic |= bidi == Bidi::kAN;
    last = bidi == Bidi::kNSM ? last : bidi;
  }
  if (!has_right_to_left) {
    return true;
  }
  const Bidi first = bidi_of(text.front());
  return (first == Bidi::kR || first == Bidi::kAL) &&
         std::ranges::none_of(text, [](char32_t c) { return bidi_of(c) == Bidi::kL; }) &&
         (last == Bidi::kR || last == Bidi::kAL || last == Bidi::kEN || last == Bidi::kAN) &&
         !(has_european && has_arabic);
}

// Applies the rules of RFC 8265 section 3.3, in the order of the RFC. Returns OPTIKS_NAME_VALID, or the fault of the
// name.
std::int32_t apply_rules(Text& text) {
  for (char32_t& c : text.all()) {
    c = narrow(c);
  }
  const std::span<const char32_t> characters = std::as_const(text).all();
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const Class its_class = class_of(characters[i]);
    if (its_class == Class::kRefused) {
      return OPTIKS_NAME_CHARACTER;
    }
    if (its_class == Class::kContext && !fits_its_place(characters, i)) {
      return OPTIKS_NAME_CONTEXT;
    }
  }
  Text lowered;
  for (const char32_t c : characters) {
    const Mapped mapped = lower(c);
    lowered.add(mapped.first);
    if (mapped.second != 0) {
      lowered.add(mapped.second);
    }
  }
  normalize(lowered);
  text = lowered;
  return keeps_direction(std::as_const(text).all()) ? OPTIKS_NAME_VALID : OPTIKS_NAME_DIRECTION;
}

// Encodes the name as UTF-8. Returns false if the encoding is longer than `max_len` octets.
bool encode(std::span<const char32_t> text, std::size_t max_len, Username& out) {
  const auto put = [&](char32_t octet) {
    if (out.length < max_len) {
      out.octets[out.length] = static_cast<std::uint8_t>(octet);
    }
    ++out.length;
  };
  for (const char32_t c : text) {
    if (c < 0x80) {
      put(c);
      continue;
    }
    if (c < 0x800) {
      put(0xC0 | c >> 6);
    } else {
      if (c < 0x10000) {
        put(0xE0 | c >> 12);
      } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
      }
      put(0x80 | (c >> 6 & 0x3F));
    }
    put(0x80 | (c & 0x3F));
  }
  return out.length <= max_len;
}

std::int32_t prepare(ByteSpan name, std::size_t max_len, Username& out) {
  if (name.empty() || name.size() > kMaxNameLen) {
    return OPTIKS_NAME_LENGTH;
  }
  Text text;
  while (!name.empty()) {
    const auto c = verify::take_character(name);
    if (!c) {
      return OPTIKS_NAME_UTF8;
    }
    text.add(*c);
  }
  if (const std::int32_t fault = apply_rules(text); fault != OPTIKS_NAME_VALID) {
    return fault;
  }
  Text again = text;
  if (apply_rules(again) != OPTIKS_NAME_VALID || !std::ranges::equal(again.all(), text.all())) {
    return OPTIKS_NAME_UNSTABLE;
  }
  return encode(std::as_const(text).all(), max_len, out) ? OPTIKS_NAME_VALID : OPTIKS_NAME_LENGTH;
}

}  // namespace

Username prepare_username(ByteSpan name, std::size_t max_len) {
  Username out;
  out.fault = prepare(name, std::min(max_len, kMaxNameLen), out);
  return out;
}

}  // namespace optiks::ozks::names
