// Fills rows from keys and values. It sets the fields that rows of an epoch and rows of copies for the next period have
// in common.
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

// Throws DirectoryError unless a structure has this number.
void check_structure(std::uint8_t structure);

// Throws DirectoryError unless there are fewer than 2^28 inputs, each of an existing structure, with keys and values no
// longer than the configuration allows.
void check_inputs(const DirectoryData& data, const RowInputs& inputs);

// Sets these fields of each row: structure, index of the input, position of the value, tag, a fresh opening and the
// commitment. Also writes the tags to `tags`. `then` must set the other fields of rows [first, last); it may be called
// on any thread. Throws DirectoryError if a key occurs twice.
void fill_rows(const DirectoryData& data, const RowInputs& inputs, Workers& workers, std::span<LeafRow> out,
               std::span<Tag> tags, const std::function<void(std::size_t first, std::size_t last)>& then);

}  // namespace optiks::ozks
