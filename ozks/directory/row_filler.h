// Rows made of keys and values: what they are whether they are an epoch's or copies for the next period.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "directory/directory.h"

namespace optiks::ozks {

struct RowInputs {
  const std::uint8_t* structures;
  const ByteStrings& keys;
  const ByteStrings& values;
};

// DirectoryError unless there is such a structure.
void check_structure(std::uint8_t structure);

// DirectoryError unless there are fewer than 2^28, each of a structure, and keys and values as long as the
// configuration allows.
void check_inputs(const DirectoryData& data, const RowInputs& inputs);

// fill_rows gives each row its structure and input, where its value is, its tag (in `tags` as well), a fresh opening
// and the commitment. What else it has `then` gives it, which is called for rows [first, last), on any thread.
// DirectoryError when a key is there twice.
void fill_rows(const DirectoryData& data, const RowInputs& inputs, Workers& workers, std::span<optiks_leaf_t> out,
               std::span<Tag> tags, const std::function<void(std::size_t first, std::size_t last)>& then);

}  // namespace optiks::ozks
