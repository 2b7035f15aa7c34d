#include "directory/value_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "optiks/base/blake2b.h"

namespace optiks::ozks {
namespace {

// Record: checksum (8), length of the value (4), opening (16), value. The checksum covers what follows it and the
// place.
constexpr std::size_t kChecksumLen = 8;
constexpr std::size_t kHeaderLen = kChecksumLen + 4;
constexpr std::size_t kFlushLen = std::size_t{1} << 20;
// The longest that any configuration allows (records.md section 1): a damaged length does not ask for gigabytes.
constexpr std::size_t kMaxValueLen = std::size_t{1} << 20;
// One read gets all of a usual value.
constexpr std::size_t kFirstRead = 512;

std::array<std::uint8_t, kChecksumLen> checksum(std::uint64_t locator, ByteSpan octets) {
  std::array<std::uint8_t, 8> place{};
  base::store_be64(place.data(), locator);
  std::array<std::uint8_t, kChecksumLen> out{};
  base::Blake2b hash(out.size());
  hash.update(place).update(octets).finish(out);
  return out;
}

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// Reads at least `least` octets and at most out.size(); gives how many.
std::size_t read_at(int file, base::MutableByteSpan out, std::size_t least, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < least) {
    const ssize_t got = pread(file, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      errno = got == 0 ? ENODATA : errno;
      fail("reading the value log");
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
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
  const auto sum = checksum(locator, {record + kChecksumLen, 4 + kOpeningLen + value.size()});
  std::copy(sum.begin(), sum.end(), record);
  return locator;
}

void ValueLog::flush() {
  std::size_t done = 0;
  while (done < queued_.size()) {
    const ssize_t put =
        pwrite(file_, queued_.data() + done, queued_.size() - done, static_cast<off_t>(flushed_ + done));
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put <= 0) {
      errno = put == 0 ? ENOSPC : errno;
      fail("writing the value log");
    }
    done += static_cast<std::size_t>(put);
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
  std::array<std::uint8_t, kFirstRead> start{};
  const std::size_t got = read_at(file_, start, kHeaderLen + kOpeningLen, locator);
  const std::size_t len = base::load_be32(start.data() + kChecksumLen);
  std::vector<std::uint8_t> rest;
  ByteSpan record(start);
  if (len <= kMaxValueLen && kHeaderLen + kOpeningLen + len > got) {
    rest.resize(kHeaderLen + kOpeningLen + len);
    std::copy_n(start.begin(), got, rest.begin());
    const base::MutableByteSpan missing = base::MutableByteSpan(rest).subspan(got);
    read_at(file_, missing, missing.size(), locator + got);
    record = rest;
  }
  if (len <= kMaxValueLen) {
    const ByteSpan checked = record.subspan(kChecksumLen, kHeaderLen - kChecksumLen + kOpeningLen + len);
    if (std::ranges::equal(checksum(locator, checked), record.first(kChecksumLen))) {
      opening_and_value.assign(checked.begin() + 4, checked.end());
      return;
    }
  }
  errno = EBADMSG;
  fail("the value log is damaged");
}

}  // namespace optiks::ozks
