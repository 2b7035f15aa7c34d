// ValueLog: openings and values in an append-only file, read through the page cache. Rebuilt from the database at every
// start, so it needs no fsync; a record that does not read back as it was written is an I/O error, never an answer.
//
// Thread safety: one writer appends; any number of threads read what was appended before their snapshot was published.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trie/tree.h"

namespace optiks::ozks {

inline constexpr std::size_t kOpeningLen = 16;

class ValueLog {
 public:
  // Creates the file (mode 0600), truncating what is there. std::system_error when that fails.
  explicit ValueLog(const std::string& path);
  ValueLog(const ValueLog&) = delete;
  ValueLog& operator=(const ValueLog&) = delete;
  ~ValueLog();

  // Queues a record and returns its locator; flush() writes what is queued, before readers may use the locators.
  [[nodiscard]] std::uint64_t append(ByteSpan opening, ByteSpan value);
  void flush();
  // Forgets what was queued or flushed from `size` on: a staged epoch that was discarded.
  void truncate(std::uint64_t size);

  // Length of the value at the locator, and its octets after its opening. std::system_error when the record is damaged
  // or cannot be read.
  void read(std::uint64_t locator, std::vector<std::uint8_t>& opening_and_value) const;

  [[nodiscard]] std::uint64_t size() const { return flushed_ + queued_.size(); }

 private:
  int file_ = -1;
  std::uint64_t flushed_ = 0;
  std::vector<std::uint8_t> queued_;
};

}  // namespace optiks::ozks
