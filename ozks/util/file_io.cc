#include "util/file_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace optiks::ozks {

void fail_io(int error, const char* what) { throw std::system_error(error, std::generic_category(), what); }

int make_unnamed_file(const std::string& folder, const char* what) {
  // mkostemp() replaces the last six letters with random letters, so that nobody can predict the name.
  std::string name = folder + "/optiks-XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) {
    fail_io(errno, what);
  }
  static_cast<void>(unlink(name.c_str()));
  return file;
}

// read_at() and write_at() do not share a loop, because their system calls differ and a result of 0 has different
// meanings.
std::size_t read_at(int file, base::MutableByteSpan out, std::size_t least, std::uint64_t offset, const char* what) {
  std::size_t done = 0;
  while (done < least) {
    const ssize_t got = pread(file, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      fail_io(got == 0 ? ENODATA : errno, what);
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void write_at(int file, base::ByteSpan octets, std::uint64_t offset, const char* what) {
  std::size_t done = 0;
  while (done < octets.size()) {
    const ssize_t put = pwrite(file, octets.data() + done, octets.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put <= 0) {
      fail_io(put == 0 ? ENOSPC : errno, what);
    }
    done += static_cast<std::size_t>(put);
  }
}

}  // namespace optiks::ozks
