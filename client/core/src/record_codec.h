// Encodes and decodes the fields of records (docs/spec/client-state.md section 3). Both classes have the same
// functions, so one function template code(codec, value) for each structure is its encoder and its decoder.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "optiks/client/octets.h"
#include "optiks/client/tls_writer.h"
#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::client::state::codec {

using ozks::verify::Hash;
using ozks::verify::VectorBounds;

inline constexpr VectorBounds kSha256Bounds{0, ozks::verify::kHashLen, ozks::verify::kHashLen};

// T may be const: an encoder's values are.
template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

template <typename Codec, Is<std::uint64_t> T>
void code(Codec& codec, T& value) {
  codec.integer(value);
}

template <typename Codec, Is<std::uint32_t> T>
void code(Codec& codec, T& value) {
  codec.integer(value);
}

// Elements of octets are ids.
template <typename Codec, Is<Bytes> T>
void code(Codec& codec, T& id) {
  codec.octets(ozks::verify::kKeyBounds, id);
}

template <typename Codec, Is<std::array<std::uint8_t, 16>> T>
void code(Codec& codec, T& uuid) {
  codec.array(uuid);
}

// Never aborts on a value: encoding one that is outside its bounds fails.
class Encoder {
 public:
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] Bytes take() { return out_.take(); }

  template <std::integral T>
  void integer(const T& value) {
    out_.integer(static_cast<std::make_unsigned_t<T>>(value), sizeof(T));
  }

  void flag(const bool& value) { out_.integer(value ? 1 : 0, 1); }

  // Writes an enumeration whose values are 0 to count - 1.
  template <typename Enum>
  void choice(const Enum& value, std::uint8_t count) {
    failed_ = failed_ || static_cast<std::uint8_t>(value) >= count;
    out_.integer(static_cast<std::uint8_t>(value), 1);
  }

  // Writes which alternative a variant has: 1, 2 or so on.
  template <typename... T>
  void kind(const std::variant<T...>& value) {
    out_.integer(value.index() + 1, 1);
  }

  template <std::size_t Len>
  void array(const std::array<std::uint8_t, Len>& value) {
    out_.raw(value);
  }

  void octets(const VectorBounds& bounds, const Bytes& value) { write(bounds, value); }
  void octets(const VectorBounds& bounds, const std::string& value) { write(bounds, octets_of(value)); }

  void sha256(const std::optional<Hash>& value) { write(kSha256Bounds, value ? ByteSpan(*value) : ByteSpan()); }

  template <typename T>
  void optional(const std::optional<T>& value) {
    flag(value.has_value());
    if (value) {
      code(*this, *value);
    }
  }

  template <typename T>
  void list(const VectorBounds& bounds, const std::vector<T>& values) {
    Encoder elements;
    for (const T& value : values) {
      code(elements, value);
    }
    failed_ = failed_ || elements.failed_;
    write(bounds, elements.out_.out());
  }

 private:
  void write(const VectorBounds& bounds, ByteSpan value) {
    if (value.size() < bounds.low || value.size() > bounds.high) {
      failed_ = true;
      return;
    }
    out_.octets(bounds, value);
  }

  TlsWriter out_;
  bool failed_ = false;
};

// After the first error, every function sets its value to a default one.
class Decoder {
 public:
  explicit Decoder(ByteSpan octets) : reader_(octets) {}

  // Returns true if everything was right and no octets are left.
  [[nodiscard]] bool finish() { return reader_.finish() == ozks::verify::Reason::kValid; }

  template <std::integral T>
  void integer(T& value) {
    value = static_cast<T>(reader_.integer(sizeof(T)));
  }

  void flag(bool& value) { value = reader_.discriminant(2) == 1; }

  template <typename Enum>
  void choice(Enum& value, std::uint8_t count) {
    value = static_cast<Enum>(reader_.discriminant(count));
  }

  // Sets the variant to a default value of the alternative that the octet names.
  template <typename... T>
  void kind(std::variant<T...>& value) {
    const std::uint64_t named = reader_.integer(1);
    std::uint64_t index = 0;
    const bool known = ((++index == named && (value.template emplace<T>(), true)) || ...);
    if (!known) {
      reader_.fail(ozks::verify::Reason::kMalformedEnum);
    }
  }

  template <std::size_t Len>
  void array(std::array<std::uint8_t, Len>& value) {
    const ByteSpan octets = reader_.take(Len);
    value = {};
    for (std::size_t i = 0; i < octets.size(); ++i) {
      value[i] = octets[i];
    }
  }

  template <typename Octets>
  void octets(const VectorBounds& bounds, Octets& value) {
    const ByteSpan octets = reader_.vector(bounds);
    value.assign(octets.begin(), octets.end());
  }

  void sha256(std::optional<Hash>& value) {
    Decoder octets(reader_.vector(kSha256Bounds));
    value = std::nullopt;
    if (octets.reader_.more()) {
      octets.array(value.emplace());
    }
  }

  template <typename T>
  void optional(std::optional<T>& value) {
    bool present = false;
    flag(present);
    value = std::nullopt;
    if (present) {
      code(*this, value.emplace());
    }
  }

  template <typename T>
  void list(const VectorBounds& bounds, std::vector<T>& values) {
    Decoder elements(reader_.vector(bounds));
    values.clear();
    while (elements.reader_.more()) {
      code(elements, values.emplace_back());
    }
    if (elements.reader_.failed()) {
      reader_.fail(elements.reader_.reason());
    }
  }

 private:
  ozks::verify::Reader reader_;
};

}  // namespace optiks::client::state::codec
