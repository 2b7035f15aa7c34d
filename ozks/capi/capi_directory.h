// The handles of directories and of their staged epochs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

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
  return std::all_of(structures, structures + n, is_structure);
}

static_assert(sizeof(LeafRow) == sizeof(optiks_leaf_t) && offsetof(LeafRow, label) == offsetof(optiks_leaf_t, label) &&
              offsetof(LeafRow, commitment) == offsetof(optiks_leaf_t, commitment) &&
              offsetof(LeafRow, tag) == offsetof(optiks_leaf_t, tag) &&
              offsetof(LeafRow, opening) == offsetof(optiks_leaf_t, opening) &&
              offsetof(LeafRow, epoch) == offsetof(optiks_leaf_t, epoch) &&
              offsetof(LeafRow, version) == offsetof(optiks_leaf_t, version) &&
              offsetof(LeafRow, value_offset) == offsetof(optiks_leaf_t, value_offset) &&
              offsetof(LeafRow, value_len) == offsetof(optiks_leaf_t, value_len) &&
              offsetof(LeafRow, structure_and_input) == offsetof(optiks_leaf_t, structure_and_input));

// These functions return the caller's rows as rows of the directory, without copying them.
inline std::span<const LeafRow> rows_of(const optiks_leaf_t* rows, std::size_t n) {
  return {reinterpret_cast<const LeafRow*>(rows), n};
}
inline LeafRow* rows_of(optiks_leaf_t* rows) { return reinterpret_cast<LeafRow*>(rows); }

// The common part of optiks_dir_stage and optiks_dir_start_period. `stage` is the member function of Directory that
// stages the epoch.
inline std::int32_t stage_by(void (Directory::*stage)(std::uint64_t, std::span<const LeafRow>, ByteSpan, bool),
                             optiks_dir_t* dir, std::uint64_t epoch, const optiks_leaf_t* leaves,
                             std::size_t num_leaves, const std::uint8_t* values, std::size_t values_len,
                             std::int32_t with_proofs, optiks_staged_t** out) {
  return guarded([&] {
    if (dir == nullptr || out == nullptr || !readable(leaves, num_leaves) || !readable(values, values_len)) {
      return argument_error("a pointer is missing");
    }
    auto staged = std::make_unique<optiks_staged>(optiks_staged{dir->directory.get()});
    (dir->directory.get()->*stage)(epoch, rows_of(leaves, num_leaves), {values, values_len}, with_proofs != 0);
    *out = staged.release();
    return std::int32_t{OPTIKS_OK};
  });
}

}  // namespace optiks::ozks::capi
