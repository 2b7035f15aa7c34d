// Implements the C ABI calls for a directory whose period has not begun.
#include "capi_directory.h"

using namespace optiks::ozks;
using namespace optiks::ozks::capi;

extern "C" {

std::int32_t optiks_dir_prepare_copies(const optiks_dir_t* dir, std::size_t n, const std::uint8_t* structures,
                                       const std::uint8_t* keys, const std::uint64_t* key_offsets,
                                       const std::uint64_t* versions, const std::uint8_t* values,
                                       const std::uint64_t* value_offsets, optiks_leaf_t* out_rows) {
  return guarded([&] {
    ByteStrings key_strings;
    ByteStrings value_strings;
    if (dir == nullptr || !readable(structures, n) || !readable(versions, n) || !readable(out_rows, n) ||
        !read_keys(n, keys, key_offsets, key_strings) || !read_strings(n, values, value_offsets, value_strings)) {
      return argument_error("a pointer is missing, or a key is not 1..255 octets");
    }
    dir->directory->prepare_copies(structures, key_strings, versions, value_strings, rows_of(out_rows));
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_load_copies(optiks_dir_t* dir, const optiks_leaf_t* rows, std::size_t num_rows,
                                    const std::uint8_t* values, std::size_t values_len) {
  return guarded([&] {
    if (dir == nullptr || !readable(rows, num_rows) || !readable(values, values_len)) {
      return argument_error("a pointer is missing");
    }
    dir->directory->load_copies(rows_of(rows, num_rows), {values, values_len});
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_start_period(optiks_dir_t* dir, std::uint64_t epoch, const optiks_leaf_t* leaves,
                                     std::size_t num_leaves, const std::uint8_t* values, std::size_t values_len,
                                     std::int32_t with_proofs, optiks_staged_t** out) {
  return stage_by(&Directory::start_period, dir, epoch, leaves, num_leaves, values, values_len, with_proofs, out);
}

}  // extern "C"
