// KeptValues: says of which structures a directory keeps the values.
#pragma once

#include <cstdint>

#include "optiks/types.h"

namespace optiks::ozks {

// Snapshots and node stores contain these numbers (docs/operations/snapshots.md section 2).
enum class KeptValues : std::uint8_t { kNone = 0, kAll = 1, kDevices = 2 };

inline KeptValues kept_values_of(const optiks_dir_options_t& options) {
  switch (options.kept_values) {
    case OPTIKS_VALUES_NONE:
      return KeptValues::kNone;
    case OPTIKS_VALUES_DEVICES:
      return KeptValues::kDevices;
    default:
      return KeptValues::kAll;
  }
}

inline bool keeps(KeptValues kept, std::uint8_t structure) {
  return kept == KeptValues::kAll || (kept == KeptValues::kDevices && structure == OPTIKS_DEVICES);
}

}  // namespace optiks::ozks
