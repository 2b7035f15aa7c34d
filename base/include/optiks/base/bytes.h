// Views of bytes, and functions that load and store numbers with a fixed endianness. Every multi-octet number that
// crosses a byte boundary goes through these functions, so no code depends on the machine's endianness or alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace optiks::base {

using ByteSpan = std::span<const std::uint8_t>;
using MutableByteSpan = std::span<std::uint8_t>;

namespace internal {

template <typename T>
[[nodiscard]] inline T byte_swap(T value) {
  if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    static_assert(sizeof(T) == 8);
    return __builtin_bswap64(value);
  }
}

template <typename T, std::endian Order>
[[nodiscard]] inline T load(const std::uint8_t* in) {
  T value;
  std::memcpy(&value, in, sizeof(value));
  return std::endian::native == Order ? value : byte_swap(value);
}

template <typename T, std::endian Order>
inline void store(std::uint8_t* out, T value) {
  if (std::endian::native != Order) {
    value = byte_swap(value);
  }
  std::memcpy(out, &value, sizeof(value));
}

}  // namespace internal

[[nodiscard]] inline std::uint64_t load_le64(const std::uint8_t* in) {
  return internal::load<std::uint64_t, std::endian::little>(in);
}
[[nodiscard]] inline std::uint16_t load_be16(const std::uint8_t* in) {
  return internal::load<std::uint16_t, std::endian::big>(in);
}
[[nodiscard]] inline std::uint32_t load_be32(const std::uint8_t* in) {
  return internal::load<std::uint32_t, std::endian::big>(in);
}
[[nodiscard]] inline std::uint64_t load_be64(const std::uint8_t* in) {
  return internal::load<std::uint64_t, std::endian::big>(in);
}

inline void store_le64(std::uint8_t* out, std::uint64_t value) {
  internal::store<std::uint64_t, std::endian::little>(out, value);
}
inline void store_be16(std::uint8_t* out, std::uint16_t value) {
  internal::store<std::uint16_t, std::endian::big>(out, value);
}
inline void store_be32(std::uint8_t* out, std::uint32_t value) {
  internal::store<std::uint32_t, std::endian::big>(out, value);
}
inline void store_be64(std::uint8_t* out, std::uint64_t value) {
  internal::store<std::uint64_t, std::endian::big>(out, value);
}

}  // namespace optiks::base
