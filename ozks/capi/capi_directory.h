// The handles of directories and of their staged epochs.
#pragma once

#include <algorithm>
#include <memory>

#include "capi_guard.h"
#include "directory/directory.h"
#include "optiks/optiks.h"

struct optiks_dir {
  std::unique_ptr<optiks::ozks::Directory> directory;
};

struct optiks_staged {
  optiks::ozks::Directory* directory;
};

namespace optiks::ozks::capi {

inline bool structures_valid(std::size_t n, const std::uint8_t* structures) {
  return std::all_of(structures, structures + n, [](std::uint8_t s) { return s >= 1 && s <= kNumStructures; });
}

}  // namespace optiks::ozks::capi
