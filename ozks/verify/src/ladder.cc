#include "optiks/ozks/verify/ladder.h"

#include <bit>

namespace optiks::ozks::verify {

VersionSet ladder(std::uint64_t a, std::uint64_t known) {
  VersionSet set;
  const auto add = [&](std::uint64_t version) {
    if (version > known) {
      set.add(version);
    }
  };
  const int bits = static_cast<int>(std::bit_width(a));
  for (int i = 0; i < bits; ++i) {
    add(std::uint64_t{1} << i);
  }
  // The last member so far is the highest bit of `a`. Each lower bit that is set in `a` gives one more member: `a`
  // without the bits below this bit.
  for (int i = bits - 2; i >= 0; --i) {
    if ((a >> i & 1) != 0) {
      add(a >> i << i);
    }
  }
  return set;
}

VersionSet next_rungs(std::uint64_t a) {
  VersionSet set;
  const int bits = static_cast<int>(std::bit_width(a));
  for (int i = 0; i < bits; ++i) {
    if ((a >> i & 1) == 0) {
      set.add((a >> i | 1) << i);
    }
  }
  if (bits < 64) {
    set.add(std::uint64_t{1} << bits);
  }
  return set;
}

}  // namespace optiks::ozks::verify
