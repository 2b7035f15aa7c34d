// What the batch functions share.
#pragma once

#include "optiks/vrf/ecvrf.h"
#include "suite.h"

namespace optiks::vrf {

// Elements handled together: enough that one inversion is spread thin, few enough for the stack and the first-level
// cache.
inline constexpr std::size_t kChunk = 8;

// The most points that one call of encode_many takes: four an element.
inline constexpr std::size_t kMaxEncode = 4 * kChunk;

// encode_many writes the strings of n points with one inversion. Constant time in the points.
void encode_many(PointString* out, const Point* points, std::size_t n);

// check_alphas aborts when the offsets do not describe strings within the bytes.
void check_alphas(const Alphas& alphas);

[[nodiscard]] inline std::span<std::uint8_t, kLabelLen> label_at(base::MutableByteSpan labels, std::size_t i) {
  return labels.subspan(i * kLabelLen).first<kLabelLen>();
}

}  // namespace optiks::vrf
