#include "stored/scratch_file.h"

#include <unistd.h>

#include "util/file_io.h"

namespace optiks::ozks {

ScratchFile::ScratchFile(const std::string& folder) : file_(make_unnamed_file(folder, "making a scratch file")) {}

ScratchFile::~ScratchFile() { close(file_); }

void ScratchFile::append(base::ByteSpan octets) {
  write_at(file_, octets, len_, "writing a scratch file");
  len_ += octets.size();
}

void ScratchFile::read(std::uint64_t offset, base::MutableByteSpan out) const {
  read_at(file_, out, out.size(), offset, "reading a scratch file");
}

}  // namespace optiks::ozks
