// Functions that read the files of tests/vectors.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "optiks/base/hex.h"
#include "optiks/ozks/verify/reasons.h"

namespace optiks::ozks::verify::test {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::json;

inline Json load_vectors(const std::string& path) {
  std::ifstream file(std::string(OPTIKS_VECTORS) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  return Json::parse(file);
}

inline Bytes from_hex(const Json& value) {
  const auto bytes = base::from_hex(value.get<std::string>());
  EXPECT_TRUE(bytes.has_value()) << value;
  return bytes.value_or(Bytes());
}

inline std::string name_of(Reason reason) {
  const char* name = reason_name(static_cast<std::int32_t>(reason));
  return name == nullptr ? "(no reason)" : name;
}

}  // namespace optiks::ozks::verify::test
