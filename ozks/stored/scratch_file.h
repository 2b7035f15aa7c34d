// ScratchFile: room on the disk for what memory has no room for, gone with the object or the process.
//
// Thread safety: none; one object a thread.
#pragma once

#include <cstdint>
#include <string>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

class ScratchFile {
 public:
  // Makes a file without a name in the folder. All throw std::system_error.
  explicit ScratchFile(const std::string& folder);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  void append(base::ByteSpan octets);
  // Fills `out` with what was appended at this offset.
  void read(std::uint64_t offset, base::MutableByteSpan out) const;

 private:
  int file_;
  std::uint64_t len_ = 0;
};

}  // namespace optiks::ozks
