// Types and functions for integers of one and two machine words.
#pragma once

#include <cstdint>

namespace optiks::vrf {

using u64 = std::uint64_t;
using u128 = unsigned __int128;

#define OPTIKS_INLINE [[gnu::always_inline]] inline

OPTIKS_INLINE constexpr u64 low64(u128 x) { return static_cast<u64>(x); }
OPTIKS_INLINE constexpr u64 high64(u128 x) { return static_cast<u64>(x >> 64); }
OPTIKS_INLINE constexpr u128 make_u128(u64 high, u64 low) { return (static_cast<u128>(high) << 64) | low; }
OPTIKS_INLINE constexpr u128 mul_64x64(u64 a, u64 b) { return static_cast<u128>(a) * b; }

}  // namespace optiks::vrf
