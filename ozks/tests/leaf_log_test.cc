// Tests that a read of the leaf log returns the octets that were written, or an error.
#include "leaves/leaf_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <thread>

#include "directory_support.h"

namespace optiks::ozks::test {
namespace {

struct Written {
  std::uint64_t log_offset;
  LeafFacts facts;
  Bytes opening;
  Bytes value;
};

Written append(LeafLog& log, Random& random, std::optional<std::size_t> value_len) {
  Written out;
  out.facts.commitment = random.hash();
  out.facts.tag.fill(static_cast<std::uint8_t>(random.below(256)));
  out.facts.epoch = random.below(UINT64_MAX);
  out.facts.version = static_cast<std::uint32_t>(random.below(UINT32_MAX));
  out.facts.previous = random.below(2) == 0 ? kNoLogOffset : random.below(LeafLog::kMaxLen);
  if (value_len) {
    out.opening.assign(kOpeningLen, static_cast<std::uint8_t>(random.below(256)));
    out.value.assign(*value_len, static_cast<std::uint8_t>(random.below(256)));
  }
  out.log_offset = log.append(out.facts, out.opening, out.value);
  return out;
}

void expect_same(const LeafFacts& a, const LeafFacts& b) {
  EXPECT_EQ(a.commitment, b.commitment);
  EXPECT_EQ(a.tag, b.tag);
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.previous, b.previous);
}

void expect_reads(const LeafLog& log, const Written& written) {
  LeafRecord record;
  log.read(written.log_offset, record);
  expect_same(record.facts(), written.facts);
  ASSERT_EQ(record.has_value(), !written.opening.empty());
  if (record.has_value()) {
    EXPECT_TRUE(std::ranges::equal(record.opening(), written.opening));
    EXPECT_TRUE(std::ranges::equal(record.value(), written.value));
  }
  LeafFacts facts;
  log.read_facts(written.log_offset, facts);
  expect_same(facts, written.facts);
}

// Returns the error code of the exception that the call throws, or 0 if the call succeeds.
template <typename Call>
int error_of(Call call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error.code().value();
  }
  return 0;
}

int read_error(const LeafLog& log, std::uint64_t log_offset) {
  return error_of([&] {
    LeafRecord record;
    log.read(log_offset, record);
  });
}

int facts_error(const LeafLog& log, std::uint64_t log_offset) {
  return error_of([&] {
    LeafFacts facts;
    log.read_facts(log_offset, facts);
  });
}

// Tests readers of a log with a name and of a log without a name, while the log outgrows its mapping.
TEST(LeafLog, IsReadByManyThreads) {
  for (const std::string& path : {scratch_file("read-by-many"), std::string()}) {
    LeafLog log(path.empty() ? nullptr : path.c_str());
    Random random(5);
    std::vector<Written> written;
    for (std::size_t i = 0; i < 50; ++i) {
      written.push_back(append(log, random, i));
    }
    std::vector<std::thread> readers;
    for (int reader = 0; reader < 40; ++reader) {
      readers.emplace_back([&] {
        for (const Written& each : written) {
          expect_reads(log, each);
        }
      });
    }
    LeafRecord early;
    log.read(written.back().log_offset, early);
    std::vector<Written> large;
    for (int i = 0; i < 200; ++i) {
      large.push_back(append(log, random, verify::kMaxValueLen));
    }
    for (std::thread& reader : readers) {
      reader.join();
    }
    for (const Written& each : large) {
      expect_reads(log, each);
    }
    // The record that was read before the log grew is still valid.
    EXPECT_TRUE(std::ranges::equal(early.value(), written.back().value));
  }
}

TEST(LeafLog, GivesBackWhatItGot) {
  Random random(61);
  LeafLog log(nullptr);
  std::vector<Written> written;
  for (int i = 0; i < 2000; ++i) {
    // Most values have less than 700 octets; some are much longer.
    const std::size_t len = i % 100 == 0 ? 300'000 : random.below(700);
    written.push_back(append(log, random, random.below(5) == 0 ? std::nullopt : std::optional(len)));
  }
  for (const Written& one : written) {
    expect_reads(log, one);
  }
  // Reads several records into one object: a short value after a long one, and records without a value.
  LeafRecord record;
  for (const std::size_t i : {100U, 101U, 102U, 100U, 103U, 104U, 105U}) {
    log.read(written[i].log_offset, record);
    ASSERT_EQ(record.has_value(), !written[i].opening.empty());
    if (record.has_value()) {
      EXPECT_TRUE(std::ranges::equal(record.value(), written[i].value)) << i;
    }
  }
}

TEST(LeafLog, DiscardedRecordsAreOverwritten) {
  Random random(62);
  LeafLog log(nullptr);
  const Written kept = append(log, random, 10);
  const std::uint64_t size = log.size();
  // Discards reserved space in the first round, and a written record in the second.
  for (const bool is_written : {false, true}) {
    if (is_written) {
      append(log, random, 100'000);
    } else {
      EXPECT_EQ(log.reserve(100'000), size);
    }
    log.truncate(size);
    EXPECT_EQ(log.size(), size);
    const Written next = append(log, random, 20);
    EXPECT_EQ(next.log_offset, size);
    expect_reads(log, next);
    log.truncate(size);
  }
  expect_reads(log, kept);
}

TEST(LeafLog, DamageIsAnError) {
  const std::string path = scratch_file("log");
  Random random(63);
  LeafLog log(path.c_str());
  append(log, random, 3);
  const Written usual = append(log, random, 40);
  const Written bare = append(log, random, std::nullopt);
  const Written last = append(log, random, 2000);
  struct stat state {};
  ASSERT_EQ(stat(path.c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777U, 0600U);
  const std::uint64_t header_len = last.log_offset - bare.log_offset;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto flip = [&](std::uint64_t at) {
    file.seekg(static_cast<std::streamoff>(at));
    const int octet = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(octet ^ 0x40));
    file.flush();
  };
  for (const Written& one : {usual, bare, last}) {
    const std::uint64_t len = header_len + one.opening.size() + one.value.size();
    for (std::uint64_t i = 0; i < len; i += i < 600 ? 1 : 97) {
      flip(one.log_offset + i);
      EXPECT_EQ(read_error(log, one.log_offset), EBADMSG) << i;
      // Reading the facts fails only if the header is damaged, because the header has its own checksum.
      EXPECT_EQ(facts_error(log, one.log_offset), i < header_len ? EBADMSG : 0) << i;
      flip(one.log_offset + i);
    }
    expect_reads(log, one);
  }
  // A read at an offset that is not the beginning of a record fails. Below, a copy of a whole record at another offset
  // is refused too.
  EXPECT_EQ(read_error(log, usual.log_offset + 1), EBADMSG);
  std::string octets(header_len, '\0');
  file.seekg(static_cast<std::streamoff>(bare.log_offset));
  file.read(octets.data(), static_cast<std::streamsize>(octets.size()));
  file.seekp(static_cast<std::streamoff>(usual.log_offset));
  file.write(octets.data(), static_cast<std::streamsize>(octets.size()));
  file.flush();
  EXPECT_EQ(read_error(log, usual.log_offset), EBADMSG);
  // A read fails at offsets where no record was written, and in space that is only reserved.
  const std::uint64_t end = log.size();
  for (const std::uint64_t beyond : {end - header_len + 1, end, end + 1, LeafLog::kMaxLen, UINT64_MAX - 1}) {
    EXPECT_EQ(read_error(log, beyond), ENODATA) << beyond;
    EXPECT_EQ(facts_error(log, beyond), ENODATA) << beyond;
  }
  EXPECT_EQ(log.reserve(1000), end);
  EXPECT_EQ(read_error(log, end), ENODATA);
  // The next record lies after the reserved space, so the zeros at `end` count as written. They are not a record, and
  // their checksum is wrong.
  append(log, random, std::nullopt);
  EXPECT_EQ(read_error(log, end), EBADMSG);
}

TEST(LeafLog, IsKeptUpToALength) {
  const std::string path = scratch_file("log");
  Random random(64);
  std::vector<Written> written;
  std::uint64_t len = 0;
  LeafLog::Identity identity;
  {
    LeafLog log(path.c_str());
    EXPECT_TRUE(log.has_name());
    EXPECT_FALSE(LeafLog(nullptr).has_name());
    for (int i = 0; i < 10; ++i) {
      written.push_back(append(log, random, 50));
    }
    log.sync();
    len = log.size();
    identity = log.identity();
    append(log, random, 50);
  }
  ASSERT_GT(std::filesystem::file_size(path), len);
  {
    // The log refuses this file because of its identity or its length, and leaves it unchanged.
    LeafLog::Identity other = identity;
    other[15] ^= 1;
    EXPECT_EQ(error_of([&] { const LeafLog log(path.c_str(), other, len); }), EBADMSG);
    const std::uint64_t longer = std::filesystem::file_size(path) + 1;
    EXPECT_EQ(error_of([&] { const LeafLog log(path.c_str(), identity, longer); }), ENODATA);
    ASSERT_GT(std::filesystem::file_size(path), len);
    LeafLog log(path.c_str(), identity, len);
    EXPECT_EQ(std::filesystem::file_size(path), len);
    EXPECT_EQ(log.size(), len);
    for (const Written& one : written) {
      expect_reads(log, one);
    }
    const Written next = append(log, random, 60);
    EXPECT_EQ(next.log_offset, len);
    expect_reads(log, next);
  }
  std::filesystem::resize_file(path, len - 1);
  EXPECT_EQ(error_of([&] { const LeafLog log(path.c_str(), identity, len); }), ENODATA);
  EXPECT_EQ(error_of([&] { const LeafLog log("/nowhere/at/all", identity, 0); }), ENOENT);
}

}  // namespace
}  // namespace optiks::ozks::test
