// Makes broken and changed copies of JSON documents for the tests of readers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "optiks/client/octets.h"

namespace optiks::client::test {

// Calls `check` with each prefix of `text`, with each octet left out, with tokens in the place of each octet and before
// it, and with parts of the text copied to other places. The octets are in memory of their exact length, so that the
// address sanitizer finds reads beyond them.
template <typename Check>
void for_each_mutant(std::string_view text, std::uint32_t seed, const Check& check) {
  static constexpr std::array<std::string_view, 28> kTokens = {"\"",
                                                               "{",
                                                               "}",
                                                               "[",
                                                               "]",
                                                               ",",
                                                               ":",
                                                               "\\",
                                                               " ",
                                                               "0",
                                                               "9",
                                                               "-",
                                                               ".",
                                                               "e",
                                                               "z",
                                                               "null",
                                                               "true",
                                                               "[]",
                                                               "{}",
                                                               "\"\"",
                                                               "-1",
                                                               "\n",
                                                               "\"a\":1,",
                                                               "18446744073709551615",
                                                               "18446744073709551616",
                                                               "\\ud800",
                                                               "\xff",
                                                               "\\u001b"};
  const std::string original(text);
  const auto pass = [&](const std::string& mutant) { check(Bytes(mutant.begin(), mutant.end())); };
  std::mt19937 random(seed);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  for (std::size_t at = 0; at < original.size(); ++at) {
    pass(original.substr(0, at));
    pass(original.substr(0, at) + original.substr(at + 1));
    std::string changed = original;
    changed[at] = static_cast<char>(random());
    pass(changed);
    for (const std::string_view token : kTokens) {
      pass(std::string(original).replace(at, 1, token));
      pass(std::string(original).insert(at, token));
    }
    for (int round = 0; round < 8; ++round) {
      const std::size_t from = below(original.size());
      const std::string part = original.substr(from, 1 + below(original.size()));
      pass(std::string(original).insert(at, part));
      pass(std::string(original).replace(at, 1 + below(original.size()), part));
    }
  }
}

}  // namespace optiks::client::test
