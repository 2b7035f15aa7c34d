// ScratchFile: a file for data that does not fit into memory. The file disappears when the object is destroyed or the
// process ends.
//
// Thread safety: one thread at a time; each thread uses its own object.
#pragma once

#include <cstdint>
#include <string>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

class ScratchFile {
 public:
  // Makes a file without a name in the folder. All functions throw std::system_error if the disk fails.
  explicit ScratchFile(const std::string& folder);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  void append(base::ByteSpan octets);
  // Fills `out` with octets of the file, beginning at `offset`.
  void read(std::uint64_t offset, base::MutableByteSpan out) const;

 private:
  int file_;
  std::uint64_t len_ = 0;
};

}  // namespace optiks::ozks
