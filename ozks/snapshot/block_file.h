// Writes and reads a snapshot's file, which consists of blocks with checksums (docs/operations/snapshots.md section 1).
// The file is written once, and read from beginning to end.
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

// The maximum length of an element. An element is never divided between two blocks.
inline constexpr std::size_t kMaxElementLen = 1024;

// Writes a snapshot's file. It writes a temporary file next to `path`, which finish() renames to `path`. So at any time
// `path` has its previous file or the whole new file. All functions throw std::system_error if the file cannot be
// written.
class BlockWriter {
 public:
  explicit BlockWriter(const char* path);
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;
  ~BlockWriter();

  // Appends an element, which must have 1 to kMaxElementLen octets.
  void put(ByteSpan element);
  // Completes the file. Returns after the file is on disk at its path.
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

// Reads a snapshot's file. The functions throw std::system_error if the file cannot be read, and DirectoryError if it
// is not a file that a BlockWriter wrote.
class BlockReader {
 public:
  explicit BlockReader(const char* path);
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;
  ~BlockReader();

  // Returns the next element, whose length is `len`. The octets are valid until the next call. The checksum of their
  // block was verified.
  [[nodiscard]] ByteSpan take(std::size_t len) {
    if (at_ == block_.size()) {
      read_block();
    }
    return take_here(len);
  }
  // Throws DirectoryError unless the whole file was read.
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
