// Helpers of the benchmarks of directories: C ABI calls that end the program if they fail, and options and updates of
// directories.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "optiks/base/bytes.h"
#include "optiks/optiks.h"
#include "optiks/ozks/verify/facts.h"

namespace optiks::ozks::bench {

inline constexpr std::size_t kKeyLen = 8;
inline constexpr std::size_t kValueLen = 64;

using States = std::array<std::uint8_t, OPTIKS_STATES_LEN>;

// Ends the program with the library's error text unless `status` is OPTIKS_OK.
inline void require(std::int32_t status) {
  if (status != OPTIKS_OK) {
    std::array<char, 256> text{};
    optiks_last_error(text.data(), text.size());
    std::fprintf(stderr, "status %d: %s\n", status, text.data());
    std::exit(1);
  }
}

// Returns options of a directory with fixed secrets, and without a path for the leaf log.
inline optiks_dir_options_t options(std::uint64_t vrf_cache_bytes) {
  optiks_dir_options_t out{};
  for (auto& secret : out.vrf_secret) {
    secret[0] = 1;
  }
  for (auto& key : out.tag_key) {
    key[0] = 1;
  }
  out.max_value_len = verify::kDefaultMaxValueLen;
  out.vrf_cache_bytes = vrf_cache_bytes;
  return out;
}

// Updates of `n` keys of the structure `keys`. The names of the keys are the numbers from `first` on.
struct Updates {
  Updates(std::uint64_t first, std::size_t n)
      : structures(n, std::uint8_t{OPTIKS_KEYS}), keys(kKeyLen * n), values(kValueLen * n, 7) {
    for (std::size_t i = 0; i <= n; ++i) {
      key_offsets.push_back(kKeyLen * i);
      value_offsets.push_back(kValueLen * i);
      if (i < n) {
        base::store_be64(keys.data() + kKeyLen * i, first + i);
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return structures.size(); }

  std::vector<std::uint8_t> structures, keys, values;
  std::vector<std::uint64_t> key_offsets, value_offsets;
};

// prepare() returns the leaves of `epoch`; stage() stages these leaves and returns the staged epoch. `epoch` must be
// the directory's next epoch.
inline std::vector<optiks_leaf_t> prepare(const optiks_dir_t* dir, std::uint64_t epoch, const Updates& updates) {
  std::vector<optiks_leaf_t> rows(updates.size());
  require(optiks_dir_prepare(dir, epoch, rows.size(), updates.structures.data(), updates.keys.data(),
                             updates.key_offsets.data(), updates.values.data(), updates.value_offsets.data(),
                             rows.data()));
  return rows;
}
inline optiks_staged_t* stage(optiks_dir_t* dir, std::uint64_t epoch, const std::vector<optiks_leaf_t>& rows,
                              const Updates& updates, bool with_proofs) {
  optiks_staged_t* staged = nullptr;
  require(optiks_dir_stage(dir, epoch, rows.data(), rows.size(), updates.values.data(), updates.values.size(),
                           with_proofs ? 1 : 0, &staged));
  return staged;
}

// Writes the lookups of `n` keys of the structure `keys` whose versions the client does not know, as a replica does:
// with cached proofs, or, if a proof is not cached, with a batch of proofs. `none` has n zeros. Returns the answer's
// length.
inline std::size_t write_lookups(const optiks_view_t* view, std::size_t n, const std::uint8_t* keys,
                                 const std::uint64_t* key_offsets, const std::uint64_t* none,
                                 std::span<std::uint8_t> out, std::uint64_t* ends) {
  std::size_t len = 0;
  const std::int32_t status = optiks_view_lookup_cached(view, OPTIKS_KEYS, n, keys, key_offsets, none, none, out.data(),
                                                        out.size(), &len, ends);
  if (status == OPTIKS_E_UNPROVEN) {
    optiks_proofs_t* proofs = nullptr;
    require(optiks_proofs_create(view, OPTIKS_KEYS, 1, &proofs));
    require(optiks_proofs_add_lookups(proofs, n, keys, key_offsets, none, none));
    require(optiks_proofs_run(proofs));
    require(optiks_proofs_lookup_many(proofs, n, keys, key_offsets, none, none, out.data(), out.size(), &len, ends));
    optiks_proofs_destroy(proofs);
  } else {
    require(status);
  }
  return len;
}

}  // namespace optiks::ozks::bench
