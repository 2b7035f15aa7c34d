#include "optiks/base/crc32c.h"

#include <array>
#include <cstddef>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace optiks::base {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;

// Returns the table with which crc32c_portable() processes one octet at a time. Entry i is the state of the checksum
// after the eight bits of the octet i, if the state was 0 before.
constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t octet = 0; octet < 256; ++octet) {
    std::uint32_t state = octet;
    for (int bit = 0; bit < 8; ++bit) {
      state = (state >> 1) ^ ((state & 1) != 0 ? kPolynomial : 0);
    }
    table[octet] = state;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(ByteSpan data, std::uint32_t before) {
  std::uint64_t state = ~before;
  const std::size_t whole = data.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    state = _mm_crc32_u64(state, load_le64(data.data() + i));
  }
  auto rest = static_cast<std::uint32_t>(state);
  for (const std::uint8_t octet : data.subspan(whole)) {
    rest = _mm_crc32_u8(rest, octet);
  }
  return ~rest;
}
#endif

}  // namespace

std::uint32_t crc32c_portable(ByteSpan data, std::uint32_t before) {
  std::uint32_t state = ~before;
  for (const std::uint8_t octet : data) {
    state = (state >> 8) ^ kTable[(state ^ octet) & 0xff];
  }
  return ~state;
}

bool crc32c_is_accelerated() {
#if defined(__x86_64__)
  static const bool kHasSse42 = __builtin_cpu_supports("sse4.2") != 0;
  return kHasSse42;
#else
  return false;
#endif
}

std::uint32_t crc32c(ByteSpan data, std::uint32_t before) {
#if defined(__x86_64__)
  if (crc32c_is_accelerated()) {
    return crc32c_sse42(data, before);
  }
#endif
  return crc32c_portable(data, before);
}

}  // namespace optiks::base
