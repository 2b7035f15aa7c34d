#include "snapshot/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace optiks::ozks {
namespace {

[[noreturn]] void fail(int error, const char* what) { throw std::system_error(error, std::generic_category(), what); }

}  // namespace

ScratchFile::ScratchFile(const std::string& folder) {
  // mkostemp() puts letters of its own in the place of the last six.
  std::string name = folder + "/scratch-XXXXXX";
  file_ = mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) {
    fail(errno, "making a scratch file");
  }
  static_cast<void>(unlink(name.c_str()));
}

ScratchFile::~ScratchFile() { close(file_); }

void ScratchFile::append(std::span<const std::byte> octets) {
  while (!octets.empty()) {
    const ssize_t n = pwrite(file_, octets.data(), octets.size(), static_cast<off_t>(len_));
    if (n < 0 && errno != EINTR) {
      fail(errno, "writing a scratch file");
    }
    if (n > 0) {
      len_ += static_cast<std::uint64_t>(n);
      octets = octets.subspan(static_cast<std::size_t>(n));
    }
  }
}

void ScratchFile::read(std::uint64_t place, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t n = pread(file_, out.data(), out.size(), static_cast<off_t>(place));
    if (n == 0 || (n < 0 && errno != EINTR)) {
      fail(n == 0 ? EIO : errno, "reading a scratch file");
    }
    if (n > 0) {
      place += static_cast<std::uint64_t>(n);
      out = out.subspan(static_cast<std::size_t>(n));
    }
  }
}

}  // namespace optiks::ozks
