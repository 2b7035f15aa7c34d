// Helpers for a directory of period 1, the period after that of options_with(). They work before and after this period
// begins.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "directory_support.h"

namespace optiks::ozks::test {

// A copy of a key's latest version in the previous period. Version 0 removes the key.
struct Copy {
  std::uint8_t structure;
  std::string key;
  std::uint64_t version;
  std::string value;
};

// Returns the options of a directory whose period 1 has not begun. The structures `devices` and `keys` have other
// secrets than in options_with().
[[nodiscard]] inline optiks_dir_options_t next_options(const char* leaf_log_path) {
  optiks_dir_options_t options = options_with(leaf_log_path);
  for (const std::uint8_t structure : {verify::kDevices, verify::kKeys}) {
    options.vrf_secret[structure_index(structure)][1] = 5;
    options.tag_key[structure_index(structure)][1] = 5;
  }
  options.period = 1;
  return options;
}

[[nodiscard]] inline StoredEpoch prepare_copies(const optiks_dir_t* dir, const std::vector<Copy>& copies) {
  Blob keys;
  Blob values;
  Bytes structures;
  std::vector<std::uint64_t> versions;
  for (const Copy& copy : copies) {
    structures.push_back(copy.structure);
    keys.add(copy.key);
    versions.push_back(copy.version);
    values.add(copy.value);
  }
  StoredEpoch out{0, std::vector<optiks_leaf_t>(copies.size()), std::move(values.octets)};
  EXPECT_EQ(optiks_dir_prepare_copies(dir, copies.size(), structures.data(), keys.octets.data(), keys.offsets.data(),
                                      versions.data(), out.values.data(), values.offsets.data(), out.rows.data()),
            OPTIKS_OK)
      << last_error();
  return out;
}

[[nodiscard]] inline std::int32_t load_copies(optiks_dir_t* dir, const StoredEpoch& copies) {
  return optiks_dir_load_copies(dir, copies.rows.data(), copies.rows.size(), copies.values.data(),
                                copies.values.size());
}

// Prepares and loads copies.
inline void copy(optiks_dir_t* dir, const std::vector<Copy>& copies) {
  EXPECT_EQ(load_copies(dir, prepare_copies(dir, copies)), OPTIKS_OK) << last_error();
}

[[nodiscard]] inline StagedHandle start_period(optiks_dir_t* dir, const StoredEpoch& epoch, bool with_proofs = true) {
  optiks_staged_t* staged = nullptr;
  EXPECT_EQ(optiks_dir_start_period(dir, epoch.epoch, epoch.rows.data(), epoch.rows.size(), epoch.values.data(),
                                    epoch.values.size(), with_proofs ? 1 : 0, &staged),
            OPTIKS_OK)
      << last_error();
  return StagedHandle(staged);
}

// Returns the epoch without its leaves of the structures `devices` and `keys`, which are made anew in each period.
[[nodiscard]] inline StoredEpoch without_periods(StoredEpoch epoch) {
  std::erase_if(epoch.rows, [](const optiks_leaf_t& row) {
    return verify::is_per_period(static_cast<std::uint8_t>(row.structure_and_input >> 28));
  });
  return epoch;
}

[[nodiscard]] inline std::int32_t load(optiks_dir_t* dir, const StoredEpoch& epoch) {
  return optiks_dir_load(dir, epoch.epoch, epoch.rows.data(), epoch.rows.size(), epoch.values.data(),
                         epoch.values.size());
}

}  // namespace optiks::ozks::test
