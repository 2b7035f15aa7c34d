// A file of checksummed blocks (docs/operations/snapshots.md section 1), written once and read once, both from begin to
// end.
//
// Thread safety: none; one object a thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

using base::ByteSpan;

// The longest element: they are never divided between blocks.
inline constexpr std::size_t kMaxElementLen = 1024;

// BlockWriter writes beside the file's place, and puts it there as a whole: at every moment the place has what it had
// or all of the new file. All throw std::system_error.
class BlockWriter {
 public:
  explicit BlockWriter(const char* path);
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;
  ~BlockWriter();

  // 1..kMaxElementLen octets.
  void put(ByteSpan element);
  // Ends the file, and returns when the disk has it at its place.
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

// BlockReader throws std::system_error when the file cannot be read, and DirectoryError when it is not what a
// BlockWriter wrote.
class BlockReader {
 public:
  explicit BlockReader(const char* path);
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;
  ~BlockReader();

  // The next element's octets, valid until the next call. Its block was checked.
  [[nodiscard]] ByteSpan take(std::size_t len) {
    if (at_ == block_.size()) {
      read_block();
    }
    return take_here(len);
  }
  // Throws unless all was read.
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
