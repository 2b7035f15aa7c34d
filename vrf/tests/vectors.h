// Functions that read the known answers of tests/vectors, and small helpers for points and scalars in tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hex.h"
#include "optiks/vrf/facts.h"
#include "point.h"
#include "scalar.h"

namespace optiks::vrf::test {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::json;

// Reads a file as JSON. If the file cannot be read, the function throws, so that the test that needs the file fails.
inline Json load_json(const std::string& path) {
  std::ifstream in(std::string(OPTIKS_VECTORS_DIR "/") + path);
  return Json::parse(in);
}

// Returns the rows of a file. The file must have exactly num_rows rows, so that no test skips a row silently.
inline Json load_rows(const std::string& path, std::size_t num_rows) {
  Json json = load_json(path);
  Json rows = json.is_array() ? json : json.at("vectors");
  EXPECT_EQ(rows.size(), num_rows) << path;
  return rows;
}

// Returns the name that the rows use for a reason.
inline std::string reason_name(Reason reason) {
  const auto* const named = std::ranges::find(kReasonNames, reason, &std::pair<Reason, const char*>::first);
  return named == std::end(kReasonNames) ? "none" : named->second;
}

inline Bytes bytes_of(const Json& hex) { return base::from_hex(hex.get<std::string>()).value(); }

template <std::size_t N>
std::array<std::uint8_t, N> array_of(const Json& hex) {
  const Bytes bytes = bytes_of(hex);
  std::array<std::uint8_t, N> out{};
  EXPECT_EQ(bytes.size(), N);
  std::copy_n(bytes.begin(), std::min(N, bytes.size()), out.begin());
  return out;
}

inline Scalar scalar_of(const Json& hex) { return scalar_from_bytes_unchecked(array_of<32>(hex)); }

inline std::string hex_of(const Scalar& scalar) {
  std::array<std::uint8_t, 32> out;
  scalar_to_bytes(out, scalar);
  return base::to_hex(out);
}

inline Fp2 element_of(const Json& hex) {
  const auto bytes = array_of<32>(hex);
  return {fp_from_bytes_unchecked(bytes.data()), fp_from_bytes_unchecked(bytes.data() + 16)};
}

inline std::string hex_of(const Fp2& element) {
  std::array<std::uint8_t, 32> out;
  fp2_to_bytes(out.data(), element);
  return base::to_hex(out);
}

inline Point point_of(const Json& hex) {
  const std::optional<Point> point = point_decode_vartime(array_of<32>(hex));
  EXPECT_TRUE(point.has_value()) << hex;
  return point.value_or(kIdentity);
}

inline std::array<std::uint8_t, 32> encode(const Point& point) {
  std::array<std::uint8_t, 32> out;
  point_encode(out, point, fp2_invert(point.z));
  return out;
}

inline std::string hex_of(const Point& point) { return base::to_hex(encode(point)); }

// Returns true if T = ta*tb, which the encoding of a point does not show, is consistent with x, y and z.
inline bool is_consistent(const Point& point) {
  return fp2_equal(fp2_mul(point.z, fp2_mul(point.ta, point.tb)), fp2_mul(point.x, point.y)) == 1;
}

// Returns N - n, which is -n modulo N, for a small n.
inline Scalar minus(u64 n) {
  Scalar out = kOrder;
  out.w[0] -= n;
  return out;
}

inline Scalar random_scalar_256(std::mt19937_64& random) { return {{random(), random(), random(), random()}}; }

inline Point sum_of(const Point& a, const Point& b) {
  Point sum = a;
  point_add(sum, point_to_cached(b));
  return sum;
}

}  // namespace optiks::vrf::test
