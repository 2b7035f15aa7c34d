// Tools for code that handles secrets: erasing, branch-free selection, and marks for the constant-time check.
//
// With OPTIKS_CT_CHECK defined (vrf_ct_test) the marks become Valgrind memcheck requests. OPTIKS_SECRET marks bytes as
// undefined, so that memcheck reports every branch and every address that depends on these bytes. OPTIKS_DECLASSIFY
// marks bytes as defined again, if the protocol makes them public. Without OPTIKS_CT_CHECK both marks do nothing.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#ifdef OPTIKS_CT_CHECK
#include <valgrind/memcheck.h>
#define OPTIKS_SECRET(address, len) static_cast<void>(VALGRIND_MAKE_MEM_UNDEFINED(address, len))
#define OPTIKS_DECLASSIFY(address, len) static_cast<void>(VALGRIND_MAKE_MEM_DEFINED(address, len))
#else
#define OPTIKS_SECRET(address, len) static_cast<void>(0)
#define OPTIKS_DECLASSIFY(address, len) static_cast<void>(0)
#endif

namespace optiks::base {

// Overwrites `len` bytes with zeros. The clobber in the assembler statement tells the compiler that the bytes may be
// read afterwards, so the compiler cannot remove the writes.
inline void zeroize(void* address, std::size_t len) {
  std::memset(address, 0, len);
  __asm__ __volatile__("" : : "r"(address) : "memory");
}

// Returns `value`, but hides it from the optimizer, so that the compiler does not turn arithmetic with a mask into a
// branch.
template <std::integral T>
[[nodiscard, gnu::always_inline]] inline T value_barrier(T value) {
  __asm__("" : "+r"(value));
  return value;
}

// Returns a mask of all ones if `bit` is 1, and zero if `bit` is 0. Other inputs are not allowed.
[[nodiscard, gnu::always_inline]] inline std::uint64_t ct_mask(std::uint64_t bit) { return value_barrier(~bit + 1); }

// Returns 1 if `value` is 0, otherwise 0.
[[nodiscard, gnu::always_inline]] inline std::uint64_t ct_is_zero(std::uint64_t value) {
  return value_barrier((~value & (value - 1)) >> 63);
}

// Returns `a` if `mask` is all ones, and `b` if `mask` is zero.
[[nodiscard, gnu::always_inline]] inline std::uint64_t ct_select(std::uint64_t mask, std::uint64_t a, std::uint64_t b) {
  return b ^ (mask & (a ^ b));
}

// Owns one trivially copyable T and erases it on destruction. The type has no copy constructor, so each copy of a
// secret is explicit in the code. A move erases the object that it moves from.
template <typename T>
requires std::is_trivially_copyable_v<T>
class Zeroizing {
 public:
  Zeroizing() = default;
  explicit Zeroizing(const T& value) : value_(value) {}
  // Copies a function's result and erases the temporary object that held it.
  explicit Zeroizing(T&& value) : value_(value) { zeroize(&value, sizeof(value)); }
  Zeroizing(const Zeroizing&) = delete;
  Zeroizing& operator=(const Zeroizing&) = delete;
  Zeroizing(Zeroizing&& other) noexcept : value_(other.value_) { other.erase(); }
  Zeroizing& operator=(Zeroizing&& other) noexcept {
    if (this != &other) {
      value_ = other.value_;
      other.erase();
    }
    return *this;
  }
  ~Zeroizing() { erase(); }

  [[nodiscard]] const T& operator*() const { return value_; }
  [[nodiscard]] T& operator*() { return value_; }
  [[nodiscard]] const T* operator->() const { return &value_; }
  [[nodiscard]] T* operator->() { return &value_; }

  void erase() { zeroize(&value_, sizeof(value_)); }

 private:
  T value_{};
};

// `N` secret octets. `Secret` has no `operator==`, because a comparison of arrays takes a time that depends on the
// octets. No function prints a `Secret`.
template <std::size_t N>
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::span<const std::uint8_t, N> bytes) { std::memcpy(bytes_->data(), bytes.data(), N); }

  [[nodiscard]] std::span<const std::uint8_t, N> bytes() const { return *bytes_; }
  [[nodiscard]] std::span<std::uint8_t, N> bytes() { return *bytes_; }
  void erase() { bytes_.erase(); }

  bool operator==(const Secret&) const = delete;

 private:
  Zeroizing<std::array<std::uint8_t, N>> bytes_;
};

}  // namespace optiks::base
