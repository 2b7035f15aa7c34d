#include "value_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "optiks/base/blake2b.h"

namespace optiks::ozks {
namespace {

// Record: checksum (8), length of the value (4), opening (16), value. The checksum covers what follows it.
constexpr std::size_t kChecksumLen = 8;
constexpr std::size_t kHeaderLen = kChecksumLen + 4;
constexpr std::size_t kFlushLen = std::size_t{1} << 20;

std::array<std::uint8_t, kChecksumLen> checksum(ByteSpan octets) {
  std::array<std::uint8_t, kChecksumLen> out{};
  base::blake2b(out, octets);
  return out;
}

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void read_fully(int file, std::uint8_t* out, std::size_t len, std::uint64_t offset) {
  while (len != 0) {
    const ssize_t got = pread(file, out, len, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      errno = got == 0 ? ENODATA : errno;
      fail("reading the value log");
    }
    out += got;
    len -= static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
}

}  // namespace

ValueLog::ValueLog(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
  if (file_ < 0) {
    fail("creating the value log");
  }
}

ValueLog::~ValueLog() { close(file_); }

std::uint64_t ValueLog::append(ByteSpan opening, ByteSpan value) {
  if (queued_.size() >= kFlushLen) {
    flush();
  }
  const std::uint64_t locator = size();
  const std::size_t begin = queued_.size();
  queued_.resize(begin + kHeaderLen + kOpeningLen + value.size());
  std::uint8_t* record = queued_.data() + begin;
  base::store_be32(record + kChecksumLen, static_cast<std::uint32_t>(value.size()));
  std::copy(opening.begin(), opening.end(), record + kHeaderLen);
  std::copy(value.begin(), value.end(), record + kHeaderLen + kOpeningLen);
  const auto sum = checksum({record + kChecksumLen, 4 + kOpeningLen + value.size()});
  std::copy(sum.begin(), sum.end(), record);
  return locator;
}

void ValueLog::flush() {
  std::size_t done = 0;
  while (done < queued_.size()) {
    const ssize_t put =
        pwrite(file_, queued_.data() + done, queued_.size() - done, static_cast<off_t>(flushed_ + done));
    if (put < 0 && errno != EINTR) {
      fail("writing the value log");
    }
    done += put > 0 ? static_cast<std::size_t>(put) : 0;
  }
  flushed_ += queued_.size();
  queued_.clear();
}

void ValueLog::truncate(std::uint64_t size) {
  if (size >= flushed_) {
    queued_.resize(static_cast<std::size_t>(size - flushed_));
    return;
  }
  // What is beyond is overwritten by the next flush; nothing refers to it.
  queued_.clear();
  flushed_ = size;
}

void ValueLog::read(std::uint64_t locator, std::vector<std::uint8_t>& opening_and_value) const {
  // One read gets all of a usual value.
  std::array<std::uint8_t, kHeaderLen> header{};
  read_fully(file_, header.data(), header.size(), locator);
  const std::size_t body = kOpeningLen + base::load_be32(header.data() + kChecksumLen);
  std::vector<std::uint8_t> checked(4 + body);
  std::copy(header.begin() + kChecksumLen, header.end(), checked.begin());
  read_fully(file_, checked.data() + 4, body, locator + kHeaderLen);
  const auto sum = checksum(checked);
  if (!std::equal(sum.begin(), sum.end(), header.begin())) {
    errno = EBADMSG;
    fail("the value log is damaged");
  }
  opening_and_value.assign(checked.begin() + 4, checked.end());
}

}  // namespace optiks::ozks
