// Tests the forms of usernames, through the C ABI, against the vectors of the Python reference
// (tests/vectors/users/usernames.json).
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <string>

#include "optiks/base/sha256.h"
#include "optiks/optiks.h"
#include "verify/tests/vectors.h"

namespace optiks::ozks::test {
namespace {

using verify::test::Bytes;
using verify::test::from_hex;
using verify::test::Json;

const std::map<std::int32_t, std::string> kFaults = {
    {OPTIKS_NAME_VALID, "valid"},         {OPTIKS_NAME_LENGTH, "length"},   {OPTIKS_NAME_UTF8, "utf8"},
    {OPTIKS_NAME_CHARACTER, "character"}, {OPTIKS_NAME_CONTEXT, "context"}, {OPTIKS_NAME_DIRECTION, "direction"},
    {OPTIKS_NAME_UNSTABLE, "unstable"},
};

struct Prepared {
  std::string fault;
  Bytes form;
};

Prepared prepare(const Bytes& name, std::size_t max_len = 255) {
  Prepared out;
  out.form.resize(255);
  std::size_t length = 0;
  std::int32_t fault = -1;
  EXPECT_EQ(optiks_username_prepare(name.data(), name.size(), max_len, &fault, out.form.data(), 255, &length),
            OPTIKS_OK);
  out.form.resize(length);
  out.fault = kFaults.at(fault);
  return out;
}

void append_utf8(Bytes& out, char32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<std::uint8_t>(c));
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr std::array<std::uint8_t, 4> kFirst = {0, 0xC0, 0xE0, 0xF0};
  out.push_back(static_cast<std::uint8_t>(kFirst[static_cast<std::size_t>(more)] | c >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) {
    out.push_back(static_cast<std::uint8_t>(0x80 | (c >> (6 * i) & 0x3F)));
  }
}

TEST(Usernames, VectorsOfTheReference) {
  std::map<std::string, int> seen;
  const Json file = verify::test::load_vectors("users/usernames.json");
  for (const Json& vector : file["vectors"]) {
    const Prepared prepared = prepare(from_hex(vector["name"]), vector["max_len"].get<std::size_t>());
    EXPECT_EQ(prepared.fault, vector["fault"]) << vector;
    EXPECT_EQ(prepared.form, vector.contains("form") ? from_hex(vector["form"]) : Bytes()) << vector;
    ++seen[prepared.fault];
  }
  EXPECT_EQ(seen.size(), kFaults.size());
}

TEST(Usernames, EveryCharacterAlone) {
  const Json file = verify::test::load_vectors("users/usernames.json");
  ASSERT_FALSE(file["characters"].empty());
  for (const Json& plane : file["characters"]) {
    base::Sha256 hash;
    for (auto c = plane["first"].get<char32_t>(); c <= plane["last"].get<char32_t>(); ++c) {
      if (c >= 0xD800 && c < 0xE000) {
        continue;
      }
      Bytes name;
      append_utf8(name, c);
      Prepared prepared = prepare(name);
      Bytes row(prepared.fault.begin(), prepared.fault.end());
      row.push_back(0);
      row.insert(row.end(), prepared.form.begin(), prepared.form.end());
      row.push_back(0);
      hash.update(row);
    }
    Bytes digest(base::kSha256DigestLen);
    hash.finish(std::span<std::uint8_t, base::kSha256DigestLen>(digest));
    EXPECT_EQ(digest, from_hex(plane["sha256"])) << plane;
  }
}

TEST(Usernames, AFormIsItsOwnFormWhateverTheName) {
  std::mt19937_64 random(4);
  int valid = 0;
  for (int i = 0; i < 200'000; ++i) {
    Bytes name;
    for (std::uint64_t left = 1 + random() % 6; left > 0; --left) {
      // Most characters have small code points; some are arbitrary and may be surrogates. A few octets are random and
      // may not be UTF-8.
      if (random() % 50 == 0) {
        name.push_back(static_cast<std::uint8_t>(random()));
      } else {
        append_utf8(name, static_cast<char32_t>(random() % (random() % 4 == 0 ? 0x110000 : 0x600)));
      }
    }
    const Prepared once = prepare(name);
    if (once.fault == "valid") {
      const Prepared twice = prepare(once.form);
      ASSERT_EQ(twice.fault, "valid");
      ASSERT_EQ(twice.form, once.form);
      ++valid;
    }
  }
  EXPECT_GT(valid, 1000);
}

TEST(Usernames, TheCallKeepsToItsContract) {
  const Bytes name = {'A', 'l', 'i', 'c', 'e'};
  Bytes out(4);
  std::size_t length = 0;
  std::int32_t fault = -1;
  EXPECT_EQ(optiks_username_prepare(name.data(), name.size(), 255, &fault, out.data(), out.size(), &length),
            OPTIKS_E_BUFFER);
  EXPECT_EQ(length, 5U);
  EXPECT_EQ(fault, -1);
  EXPECT_EQ(optiks_username_prepare(nullptr, 1, 255, &fault, out.data(), out.size(), &length), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_username_prepare(name.data(), name.size(), 0, &fault, out.data(), out.size(), &length),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_username_prepare(name.data(), name.size(), 256, &fault, out.data(), out.size(), &length),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_username_prepare(name.data(), name.size(), 255, nullptr, out.data(), out.size(), &length),
            OPTIKS_E_ARGUMENT);
}

}  // namespace
}  // namespace optiks::ozks::test
