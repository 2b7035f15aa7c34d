// Functions that read the files of tests/vectors.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hex.h"
#include "optiks/ozks/verify/reasons.h"

namespace optiks::ozks::verify::test {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::json;

inline Json load_vectors(const std::string& path) {
  // The standard library for WebAssembly has no file streams.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen((std::string(OPTIKS_VECTORS) + "/" + path).c_str(), "rb"), std::fclose);
  if (file == nullptr) {
    ADD_FAILURE() << path;
    return {};
  }
  return Json::parse(file.get());
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
