// Makes rows from keys and values: the fields that rows of an epoch and copies for the next period share.
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

// Throws DirectoryError unless the structure exists.
void check_structure(std::uint8_t structure);

// Throws DirectoryError unless there are fewer than 2^28 inputs, each of an existing structure, with keys and values as
// long as the configuration allows.
void check_inputs(const DirectoryData& data, const RowInputs& inputs);

// Sets structure and input of each row, the position of its value, its tag (in `tags` as well), a fresh opening and the
// commitment. `then` sets the other fields of rows [first, last), and is called on any thread. Throws DirectoryError if
// a key occurs twice.
void fill_rows(const DirectoryData& data, const RowInputs& inputs, Workers& workers, std::span<optiks_leaf_t> out,
               std::span<Tag> tags, const std::function<void(std::size_t first, std::size_t last)>& then);

}  // namespace optiks::ozks
