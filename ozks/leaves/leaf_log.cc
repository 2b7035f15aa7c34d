#include "leaves/leaf_log.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "optiks/base/check.h"
#include "optiks/base/crc32c.h"
#include "util/file_io.h"
#include "util/prefetch.h"

namespace optiks::ozks {
namespace {

// The file begins with kMagic and the log's identity. The records come after these.
constexpr std::array<std::uint8_t, 8> kMagic = {'o', 'p', 't', 'i', 'k', 's', 'L', 1};
constexpr std::size_t kFileHeaderLen = kMagic.size() + std::tuple_size_v<LeafLog::Identity>;

// The parts of a record, with big-endian integers:
//   - checksum of the record's log offset and the header's other octets, checksum of opening and value, length of the
//     value, version (4 octets each);
//   - epoch, previous (8 each), tag (16), commitment (32);
//   - unless the length is kNoValue, opening (16) and value.
// The header has its own checksum, so it can be checked without reading the value. If the bit kErased of the length is
// set, opening and value are zeros or will be overwritten with zeros. The second checksum is then the checksum of an
// empty string.
constexpr std::size_t kBodySumAt = 4;
constexpr std::size_t kValueLenAt = 8;
constexpr std::size_t kVersionAt = 12;
constexpr std::size_t kEpochAt = 16;
constexpr std::size_t kPreviousAt = 24;
constexpr std::size_t kTagAt = 32;
constexpr std::size_t kCommitmentAt = kTagAt + std::tuple_size_v<Tag>;
constexpr std::size_t kHeaderLen = kCommitmentAt + verify::kHashLen;
constexpr std::uint32_t kNoValue = 0xffffffff;
constexpr std::uint32_t kErased = 0x80000000;
static_assert(verify::kMaxValueLen < kErased);

// The length of the first mapping, which may be longer than the file. Unused virtual addresses use no memory.
constexpr std::size_t kLeastMapping = std::size_t{64} << 20;
// The number of octets to prefetch, which is the length of a record with a value of usual length.
constexpr std::size_t kPrefetchedLen = 256;

using Header = std::span<const std::uint8_t, kHeaderLen>;

std::uint32_t header_sum(std::uint64_t log_offset, Header header) {
  std::array<std::uint8_t, 8> encoded{};
  base::store_be64(encoded.data(), log_offset);
  return base::crc32c(header.subspan<kBodySumAt>(), base::crc32c(encoded));
}

[[noreturn]] void fail_damaged() { fail_io(EBADMSG, "the leaf log is damaged"); }

constexpr const char* kReading = "reading the leaf log";
constexpr const char* kWriting = "writing the leaf log";

// Writes the facts in the header to `out`. Returns the total length of opening and value, or 0 if the record has no
// value or the value was erased. Returns nullopt if the header is damaged.
std::optional<std::size_t> try_parse(std::uint64_t log_offset, Header header, LeafFacts& out) {
  if (base::load_be32(header.data()) != header_sum(log_offset, header)) {
    return std::nullopt;
  }
  std::copy_n(header.begin() + kCommitmentAt, out.commitment.size(), out.commitment.begin());
  std::copy_n(header.begin() + kTagAt, out.tag.size(), out.tag.begin());
  out.epoch = base::load_be64(header.data() + kEpochAt);
  out.version = base::load_be32(header.data() + kVersionAt);
  out.previous = base::load_be64(header.data() + kPreviousAt);
  const std::uint32_t value_len = base::load_be32(header.data() + kValueLenAt);
  if (value_len == kNoValue) {
    return 0;
  }
  // No value is longer than kMaxValueLen. Without this check, the caller would request gigabytes of memory if the
  // length is damaged.
  if ((value_len & ~kErased) > verify::kMaxValueLen) {
    return std::nullopt;
  }
  return (value_len & kErased) != 0 ? 0 : kOpeningLen + value_len;
}

// Copies the header from the mapped octets, so that an erasure cannot change it between its check and its use.
std::array<std::uint8_t, kHeaderLen> header_of(ByteSpan octets) {
  std::array<std::uint8_t, kHeaderLen> header{};
  std::ranges::copy(octets.first<kHeaderLen>(), header.begin());
  return header;
}

// Calls `read` until it succeeds. `read` returns false if the octets do not match their checksums. If a record may have
// been erased during the read, the read is repeated; otherwise the log is damaged.
template <typename Read>
void read_unmixed(const LeafLog& log, Read read) {
  for (;;) {
    const std::uint64_t erasures = log.erasures();
    if (read()) {
      return;
    }
    if (!log.changed_since(erasures)) {
      fail_damaged();
    }
    std::this_thread::yield();
  }
}

int create(const char* path) {
  constexpr const char* kCreating = "creating the leaf log";
  if (path == nullptr) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this library changes the environment
    const char* folder = std::getenv("TMPDIR");
    // The default folder is /var/tmp and not /tmp, because /tmp is often in memory.
    return make_unnamed_file(folder != nullptr && *folder != '\0' ? folder : "/var/tmp", kCreating);
  }
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) {
    fail_io(errno, kCreating);
  }
  return file;
}

std::array<std::uint8_t, kFileHeaderLen> file_header(const LeafLog::Identity& identity) {
  std::array<std::uint8_t, kFileHeaderLen> header{};
  std::ranges::copy(identity, std::ranges::copy(kMagic, header.begin()).out);
  return header;
}

int open_existing(const char* path, const LeafLog::Identity& identity, std::uint64_t len) {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    fail_io(errno, "opening the leaf log");
  }
  try {
    struct stat state {};
    if (fstat(file, &state) != 0) {
      fail_io(errno, "opening the leaf log");
    }
    if (state.st_size < 0 || static_cast<std::uint64_t>(state.st_size) < len) {
      fail_io(ENODATA, "the leaf log is shorter than it was");
    }
    if (len != 0) {
      std::array<std::uint8_t, kFileHeaderLen> header{};
      read_at(file, header, header.size(), 0, kReading);
      if (header != file_header(identity)) {
        fail_io(EBADMSG, "the leaf log is another one");
      }
    }
    if (ftruncate(file, static_cast<off_t>(len)) != 0) {
      fail_io(errno, "opening the leaf log");
    }
  } catch (...) {
    close(file);
    throw;
  }
  return file;
}

}  // namespace

LeafLog::LeafLog(const char* path) : has_name_(path != nullptr), identity_(), file_(create(path)) {
  randombytes_buf(identity_.data(), identity_.size());
}

LeafLog::LeafLog(const char* path, const Identity& identity, std::uint64_t len)
    : has_name_(true), identity_(identity), file_(open_existing(path, identity, len)), size_(len), written_(len) {
  try {
    map_at_least(len);
  } catch (...) {
    close(file_);
    throw;
  }
}

LeafLog::~LeafLog() {
  for (const Mapping& mapping : mappings_) {
    munmap(const_cast<std::uint8_t*>(mapping.data), mapping.len);
  }
  close(file_);
}

void LeafLog::map_at_least(std::uint64_t len) {
  if (len == 0 || (!mappings_.empty() && len <= mappings_.back().len)) {
    return;
  }
  mappings_.reserve(mappings_.size() + 1);
  const std::size_t mapped = std::bit_ceil(std::max<std::uint64_t>(len, kLeastMapping));
  void* data = mmap(nullptr, mapped, PROT_READ, MAP_SHARED, file_, 0);
  if (data == MAP_FAILED) {
    fail_io(errno, "mapping the leaf log");
  }
  // Answers read records in random order, so reading ahead would not help. The result is ignored because this is only
  // advice.
  static_cast<void>(madvise(data, mapped, MADV_RANDOM));
  mappings_.push_back({static_cast<const std::uint8_t*>(data), mapped});
  newest_mapping_.store(mappings_.back().data, std::memory_order_release);
}

ByteSpan LeafLog::written_from(std::uint64_t log_offset, std::size_t least) const {
  // The length must be loaded before the mapping: the mapping that is loaded afterwards is then at least this long.
  const std::uint64_t written = written_.load(std::memory_order_acquire);
  if (log_offset > written || written - log_offset < least) {
    fail_io(ENODATA, kReading);
  }
  return {newest_mapping_.load(std::memory_order_acquire) + log_offset, written - log_offset};
}

std::size_t LeafLog::record_len(ByteSpan opening, ByteSpan value) { return kHeaderLen + opening.size() + value.size(); }

std::uint64_t LeafLog::reserve(std::size_t len) {
  if (size_ == 0) {
    write_at(file_, file_header(identity_), 0, kWriting);
    size_ = kFileHeaderLen;
  }
  if (len > kMaxLen - size_) {
    fail_io(EFBIG, "the leaf log is full");
  }
  map_at_least(size_ + len);
  return std::exchange(size_, size_ + len);
}

void LeafLog::put(std::uint8_t* out, std::uint64_t log_offset, const LeafFacts& facts, ByteSpan opening,
                  ByteSpan value) {
  OPTIKS_CHECK(opening.size() == kOpeningLen || (opening.empty() && value.empty()));
  OPTIKS_CHECK(value.size() <= verify::kMaxValueLen);
  const std::size_t body_len = opening.size() + value.size();
  std::copy(opening.begin(), opening.end(), out + kHeaderLen);
  std::copy(value.begin(), value.end(), out + kHeaderLen + opening.size());
  base::store_be32(out + kBodySumAt, base::crc32c({out + kHeaderLen, body_len}));
  base::store_be32(out + kValueLenAt, opening.empty() ? kNoValue : static_cast<std::uint32_t>(value.size()));
  base::store_be32(out + kVersionAt, facts.version);
  base::store_be64(out + kEpochAt, facts.epoch);
  base::store_be64(out + kPreviousAt, facts.previous);
  std::ranges::copy(facts.tag, out + kTagAt);
  std::ranges::copy(facts.commitment, out + kCommitmentAt);
  base::store_be32(out, header_sum(log_offset, Header(out, kHeaderLen)));
}

void LeafLog::write(std::uint64_t log_offset, ByteSpan records) {
  const std::uint64_t end = log_offset + records.size();
  OPTIKS_CHECK(end <= size_);
  write_at(file_, records, log_offset, kWriting);
  std::uint64_t written = written_.load(std::memory_order_relaxed);
  while (written < end && !written_.compare_exchange_weak(written, end, std::memory_order_release)) {
  }
}

std::uint64_t LeafLog::append(const LeafFacts& facts, ByteSpan opening, ByteSpan value) {
  std::vector<std::uint8_t> record(record_len(opening, value));
  const std::uint64_t log_offset = reserve(record.size());
  put(record.data(), log_offset, facts, opening, value);
  write(log_offset, record);
  return log_offset;
}

void LeafLog::link(std::uint64_t log_offset, std::uint64_t previous) const {
  std::array<std::uint8_t, kHeaderLen> header = header_of(written_from(log_offset, kHeaderLen));
  LeafFacts facts;
  if (!try_parse(log_offset, header, facts).has_value()) {
    fail_damaged();
  }
  base::store_be64(header.data() + kPreviousAt, previous);
  base::store_be32(header.data(), header_sum(log_offset, header));
  write_at(file_, header, log_offset, kWriting);
}

void LeafLog::sync() const {
  if (fdatasync(file_) != 0) {
    fail_io(errno, kWriting);
  }
}

// Writes the header first. From then on readers see a record without a value, even if a crash leaves octets of the
// value. The header still has the length, so the erasure can be completed later.
void LeafLog::erase_one(std::uint64_t log_offset) {
  std::array<std::uint8_t, kHeaderLen> header = header_of(written_from(log_offset, kHeaderLen));
  LeafFacts facts;
  if (!try_parse(log_offset, header, facts).has_value()) {
    fail_damaged();
  }
  const std::uint32_t value_len = base::load_be32(header.data() + kValueLenAt);
  if (value_len == kNoValue) {
    return;
  }
  if ((value_len & kErased) == 0) {
    base::store_be32(header.data() + kValueLenAt, value_len | kErased);
    base::store_be32(header.data() + kBodySumAt, base::crc32c({}));
    base::store_be32(header.data(), header_sum(log_offset, header));
    write_at(file_, header, log_offset, kWriting);
  }
  // The zeros come from a constant block and not from an allocated buffer, so an erasure fails only if the disk fails.
  static constexpr std::array<std::uint8_t, 4096> kZeros{};
  const std::size_t body_len = kOpeningLen + (value_len & ~kErased);
  for (std::size_t done = 0; done < body_len; done += kZeros.size()) {
    write_at(file_, ByteSpan(kZeros).first(std::min(kZeros.size(), body_len - done)), log_offset + kHeaderLen + done,
             kWriting);
  }
}

void LeafLog::erase(std::span<const std::uint64_t> log_offsets) {
  struct Erasing {
    explicit Erasing(std::atomic<std::uint64_t>& number) : erasures(number) { erasures.fetch_add(1); }
    Erasing(const Erasing&) = delete;
    Erasing& operator=(const Erasing&) = delete;
    ~Erasing() { erasures.fetch_add(1); }
    std::atomic<std::uint64_t>& erasures;
  };
  for (const std::uint64_t log_offset : log_offsets) {
    const Erasing erasing(erasures_);
    erase_one(log_offset);
  }
  sync();
}

void LeafLog::read(std::uint64_t log_offset, LeafRecord& out) const {
  const ByteSpan octets = written_from(log_offset, kHeaderLen);
  read_unmixed(*this, [&] {
    const std::array<std::uint8_t, kHeaderLen> header = header_of(octets);
    const std::optional<std::size_t> body_len = try_parse(log_offset, header, out.facts_);
    out.body_ = {};
    if (!body_len.has_value()) {
      return false;
    }
    const ByteSpan body = written_from(log_offset + kHeaderLen, *body_len).first(*body_len);
    if (base::load_be32(header.data() + kBodySumAt) != base::crc32c(body)) {
      return false;
    }
    out.body_ = body;
    return true;
  });
}

void LeafLog::read_facts(std::uint64_t log_offset, LeafFacts& out) const {
  const ByteSpan octets = written_from(log_offset, kHeaderLen);
  read_unmixed(*this, [&] { return try_parse(log_offset, header_of(octets), out).has_value(); });
}

std::uint64_t LeafLog::latest_at(std::uint64_t newest, std::uint64_t epoch) const {
  LeafFacts facts;
  for (std::uint64_t log_offset = newest; log_offset != kNoLogOffset; log_offset = facts.previous) {
    read_facts(log_offset, facts);
    if (facts.epoch <= epoch) {
      return log_offset;
    }
  }
  return kNoLogOffset;
}

void LeafLog::prefetch(std::uint64_t log_offset) const {
  ozks::prefetch(newest_mapping_.load(std::memory_order_acquire) + log_offset, kPrefetchedLen);
}

}  // namespace optiks::ozks
