// A file of checksummed blocks (docs/operations/snapshots.md section 1), written once and read once, both from
// beginning to end.
//
// Thread safety: one thread at a time; each thread uses its own object.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

using base::ByteSpan;

// The longest element: an element is never divided between blocks.
inline constexpr std::size_t kMaxElementLen = 1024;

// Writes a temporary file next to the path, and then renames it. At any time the path has its previous file or the
// whole new file. All functions throw std::system_error.
class BlockWriter {
 public:
  explicit BlockWriter(const char* path);
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;
  ~BlockWriter();

  // Appends an element of 1..kMaxElementLen octets.
  void put(ByteSpan element);
  // Ends the file, and returns after it is on disk at its path.
  void finish();

 private:
  void write_block();
  void flush_block();

  std::string path_;
  std::string temporary_;
  int file_ = -1;
  std::uint64_t written_ = 0;
  std::uint64_t num_blocks_ = 0;
  std::vector<std::uint8_t> block_;
};

// Throws std::system_error if the file cannot be read, and DirectoryError if a BlockWriter did not write it.
class BlockReader {
 public:
  explicit BlockReader(const char* path);
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;
  ~BlockReader();

  // Returns the next element's octets, valid until the next call. The block with this element was checked.
  [[nodiscard]] ByteSpan take(std::size_t len) {
    if (at_ == block_.size()) {
      read_block();
    }
    return take_here(len);
  }
  // Throws DirectoryError unless everything was read.
  void finish();

 private:
  ByteSpan take_here(std::size_t len);
  void read_block();
  std::size_t read(base::MutableByteSpan out) const;

  int file_ = -1;
  std::uint64_t num_blocks_ = 0;
  std::vector<std::uint8_t> block_;
  std::size_t at_ = 0;
};

}  // namespace optiks::ozks
