#include "snapshot/block_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "leaves/directory_error.h"
#include "optiks/base/check.h"
#include "optiks/base/crc32c.h"

namespace optiks::ozks {
namespace {

// The length of a block's header. A block has the length of the payload (4 octets), a checksum of the block's number
// and the payload (4 octets), and the payload.
constexpr std::size_t kHeaderLen = 8;
constexpr std::size_t kMaxPayloadLen = std::size_t{1} << 20;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::uint32_t checksum(std::uint64_t number, ByteSpan payload) {
  std::array<std::uint8_t, 8> encoded{};
  base::store_be64(encoded.data(), number);
  return base::crc32c(payload, base::crc32c(encoded));
}

void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) {
    fail("opening the snapshot's folder");
  }
  const int status = fsync(file);
  const int error = errno;
  close(file);
  if (status != 0) {
    errno = error;
    fail("writing the snapshot's folder");
  }
}

// Follows symbolic links and returns the path of the file itself. If the writer renamed its file to a symbolic link, it
// would replace the link and leave the link's target unchanged.
std::string target_of(std::filesystem::path path) {
  constexpr int kMaxLinks = 40;  // Linux follows at most 40 links too
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(path); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path);
  }
  return path.string();
}

}  // namespace

BlockWriter::BlockWriter(const char* path) : path_(target_of(path)), temporary_(path_ + ".new") {
  block_.reserve(kHeaderLen + kMaxPayloadLen);
  block_.resize(kHeaderLen);
  file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file_ < 0) {
    fail("creating the snapshot");
  }
}

BlockWriter::~BlockWriter() {
  if (file_ >= 0) {
    close(file_);
    static_cast<void>(unlink(temporary_.c_str()));
  }
}

void BlockWriter::put(ByteSpan element) {
  OPTIKS_CHECK(!element.empty() && element.size() <= kMaxElementLen);
  if (block_.size() + element.size() > kHeaderLen + kMaxPayloadLen) {
    write_block();
  }
  block_.insert(block_.end(), element.begin(), element.end());
}

void BlockWriter::write_block() {
  const ByteSpan payload = ByteSpan(block_).subspan(kHeaderLen);
  base::store_be32(block_.data(), static_cast<std::uint32_t>(payload.size()));
  base::store_be32(block_.data() + 4, checksum(num_blocks_, payload));
  for (std::size_t done = 0; done < block_.size();) {
    const ssize_t put = write(file_, block_.data() + done, block_.size() - done);
    if (put < 0 && errno != EINTR) {
      fail("writing the snapshot");
    }
    done += put < 0 ? 0 : static_cast<std::size_t>(put);
  }
  flush_block();
  ++num_blocks_;
  block_.resize(kHeaderLen);
}

// Starts writing a complete block to disk, and waits for it. If all blocks were written to disk at the end, a database
// on the same disk would have to wait for them when it calls fsync. Only finish() makes sure that the blocks are on
// disk.
void BlockWriter::flush_block() {
#if defined(__linux__)
  static_cast<void>(sync_file_range(
      file_, static_cast<off_t>(written_), static_cast<off_t>(block_.size()),
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));  // advice: finish() reports
                                                                                           // errors
#endif
  written_ += block_.size();
}

void BlockWriter::finish() {
  if (block_.size() != kHeaderLen) {
    write_block();
  }
  // An empty block marks the end of the file.
  write_block();
  if (fsync(file_) != 0) {
    fail("writing the snapshot");
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail("naming the snapshot");
  }
  close(file_);
  file_ = -1;
  sync_folder_of(path_);
}

BlockReader::BlockReader(const char* path) : file_(open(path, O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) {
    fail("opening the snapshot");
  }
  // Tells the system to read ahead, because the file is read from beginning to end.
  static_cast<void>(posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL));
}

BlockReader::~BlockReader() { close(file_); }

// Reads `out.size()` octets, or fewer if the file ends earlier. Returns the number of octets that it read.
std::size_t BlockReader::read(base::MutableByteSpan out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::read(file_, out.data() + done, out.size() - done);
    if (got < 0 && errno != EINTR) {
      fail("reading the snapshot");
    }
    if (got == 0) {
      break;
    }
    done += got < 0 ? 0 : static_cast<std::size_t>(got);
  }
  return done;
}

void BlockReader::read_block() {
  std::array<std::uint8_t, kHeaderLen> header{};
  const std::size_t got = read(header);
  const std::size_t len = base::load_be32(header.data());
  if (got < header.size() || len > kMaxPayloadLen) {
    data_error("the snapshot is damaged");
  }
  block_.resize(len);
  at_ = 0;
  if (read(block_) != len || checksum(num_blocks_, block_) != base::load_be32(header.data() + 4)) {
    data_error("the snapshot is damaged");
  }
  ++num_blocks_;
}

ByteSpan BlockReader::take_here(std::size_t len) {
  if (len > block_.size() - at_) {
    data_error("the snapshot is damaged");
  }
  at_ += len;
  return ByteSpan(block_).subspan(at_ - len, len);
}

void BlockReader::finish() {
  if (at_ == block_.size()) {
    read_block();
  }
  std::array<std::uint8_t, 1> more{};
  if (!block_.empty() || read(more) != 0) {
    data_error("the snapshot is damaged");
  }
}

}  // namespace optiks::ozks
