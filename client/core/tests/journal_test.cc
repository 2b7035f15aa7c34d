// Tests the journal: commits and loads, every cut and damaged file, and compaction. A model of the state, a map, says
// what each file must hold.
#include "optiks/client/journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>

#include "hex.h"

namespace optiks::client::test {
namespace {

using ozks::verify::Hash;

constexpr Hash kLog = {7, 7, 7};
constexpr std::size_t kHeaderLen = 57;

using Records = std::map<Bytes, Bytes>;

// A state with its journal and its file, as a core and a host have them.
class State {
 public:
  explicit State(const Hash& log = kLog) : log_(log), journal_(log) {}

  // Returns the commit that makes these changes.
  [[nodiscard]] Commit make(std::vector<Put> puts, std::vector<Bytes> deletes) const {
    Meta meta{.log_id = log_, .revision = revision_ + 1, .set_hash = set_hash_};
    for (const Put& put : puts) {
      if (records_.contains(put.key)) {
        toggle_record(meta.set_hash, put.key, records_.at(put.key));
      }
      toggle_record(meta.set_hash, put.key, put.body);
    }
    for (const Bytes& key : deletes) {
      toggle_record(meta.set_hash, key, records_.at(key));
    }
    puts.insert(puts.begin(), {{1}, meta.encode()});
    return {.base = revision_, .puts = std::move(puts), .deletes = std::move(deletes)};
  }

  void commit(const std::vector<Put>& puts, const std::vector<Bytes>& deletes) {
    const Commit made = make(puts, deletes);
    Bytes append;
    ASSERT_EQ(journal_.commit(made, append), CommitOutcome::kDone);
    file_.insert(file_.end(), append.begin(), append.end());
    ends_.push_back(file_.size());
    for (const Put& put : puts) {
      records_[put.key] = put.body;
    }
    for (const Bytes& key : deletes) {
      records_.erase(key);
    }
    std::copy_n(made.puts[0].body.end() - 32, 32, set_hash_.begin());
    ++revision_;
    history_.push_back(records_);
  }

  void compact() {
    file_ = journal_.compact();
    ends_ = {file_.size()};
    history_ = {records_};
  }

  // Returns whether a journal has exactly the records of one of the commits.
  [[nodiscard]] static bool has(const Journal& journal, const Records& records, const Records& all) {
    for (const auto& [key, body] : all) {
      const auto found = journal.load({{key}}).bodies[0];
      const auto expected = records.find(key);
      if (found.has_value() != (expected != records.end()) || (found && *found != expected->second)) {
        return false;
      }
    }
    return true;
  }

  Hash log_;
  Journal journal_;
  Bytes file_;
  std::vector<std::size_t> ends_;  // of the file after each commit
  std::vector<Records> history_;   // the records after each commit
  Records records_;
  Hash set_hash_{};
  std::uint64_t revision_ = 0;
};

// Makes three commits that write, replace and delete.
State small_state() {
  State state;
  state.commit({{{2}, {1, 5}}, {{7, 3, 'a'}, {1, 1, 1}}, {{7, 3, 'b'}, {1}}}, {});
  state.commit({{{7, 3, 'a'}, {1, 2}}}, {{7, 3, 'b'}});
  state.commit({{{8, 3, 'a'}, Bytes(40, 9)}}, {{2}});
  return state;
}

Records all_keys(const State& state) {
  Records all;
  for (const Records& records : state.history_) {
    all.insert(records.begin(), records.end());
  }
  return all;
}

TEST(Journal, IsReadBack) {
  const State state = small_state();
  Journal journal(kLog);
  const Journal::Opened opened = journal.open(state.file_);
  EXPECT_EQ(opened.fault, JournalFault::kNone);
  EXPECT_EQ(opened.good_len, state.file_.size());
  EXPECT_EQ(journal.revision(), 3U);
  EXPECT_TRUE(State::has(journal, state.records_, all_keys(state)));
  EXPECT_EQ(journal.load({{{9}, {8, 3, 'a'}}}), (LoadReply{.revision = 3, .bodies = {std::nullopt, Bytes(40, 9)}}));
}

// A program in Python that follows the page made these octets.
TEST(Journal, HasTheOctetsOfTheSpecification) {
  State state;
  state.commit({{{2}, {1, 5}}}, {});
  EXPECT_EQ(base::to_hex(ByteSpan(state.file_).first(kHeaderLen)),
            "4f5054494b535354010707070000000000000000000000000000000000000000000000000000000000fa0464a0f92ee8"
            "b9e7ba755e526cc283");
  EXPECT_EQ(base::to_hex(ByteSpan(state.file_).subspan(kHeaderLen)),
            "0000005ea6f0911a295ec10f000000570001010000490107070700000000000000000000000000000000000000000000"
            "000000000000000000000000000001432ddbbfaea056b8f229a95a71c5c12188f38c090898cc67019761933889301c00"
            "01020000020105000000a6b4f7264c8f0e04f0a8154e46694ff4ffffffffffffffffffffffffffffffff");
}

TEST(Journal, ACutFileHasTheCommitsBeforeTheCut) {
  const State state = small_state();
  for (std::size_t len = 0; len < state.file_.size(); ++len) {
    Journal journal(kLog);
    const Journal::Opened opened = journal.open(ByteSpan(state.file_).first(len));
    if (len < state.ends_[0]) {
      EXPECT_NE(opened.fault, JournalFault::kNone) << len;
      continue;
    }
    std::size_t last = 0;
    while (last + 1 < state.ends_.size() && state.ends_[last + 1] <= len) {
      ++last;
    }
    ASSERT_EQ(opened.fault, JournalFault::kNone) << len << ": " << opened.what;
    EXPECT_EQ(opened.good_len, state.ends_[last]) << len;
    EXPECT_TRUE(State::has(journal, state.history_[last], all_keys(state))) << len;
  }
}

// A file system may make a file longer and not write all of it before a crash.
TEST(Journal, ACommitWhoseLastOctetsAreZerosIsCutOff) {
  const State state = small_state();
  for (std::size_t len = state.ends_[1]; len < state.file_.size(); ++len) {
    Bytes file = state.file_;
    std::fill(file.begin() + static_cast<std::ptrdiff_t>(len), file.end(), 0);
    Journal journal(kLog);
    const Journal::Opened opened = journal.open(file);
    ASSERT_EQ(opened.fault, JournalFault::kNone) << len << ": " << opened.what;
    const bool is_whole = len >= state.file_.size() - 16;
    EXPECT_EQ(opened.good_len, is_whole ? state.file_.size() : state.ends_[1]) << len;
  }
}

TEST(Journal, EveryChangedOctetIsFound) {
  const State state = small_state();
  for (std::size_t at = 0; at < state.file_.size(); ++at) {
    for (const auto change : {std::uint8_t{0x01}, std::uint8_t{0x80}, std::uint8_t{0xff}}) {
      Bytes file = state.file_;
      file[at] ^= change;
      Journal journal(kLog);
      const Journal::Opened opened = journal.open(file);
      // The last octet of an end mark may be a zero, as after a crash.
      const bool is_like_crash = std::ranges::find(state.ends_, at + 1) != state.ends_.end() && change == 0xff;
      EXPECT_EQ(opened.fault == JournalFault::kNone, is_like_crash) << at << " ^ " << int{change};
      EXPECT_TRUE(!is_like_crash || opened.good_len == file.size());
    }
  }
}

TEST(Journal, FramesHaveTheirPlace) {
  const State state = small_state();
  const auto frame = [&](std::size_t i) {
    const std::size_t begin = i == 0 ? kHeaderLen : state.ends_[i - 1];
    return ByteSpan(state.file_).subspan(begin, state.ends_[i] - begin);
  };
  for (const std::vector<std::size_t>& order : std::vector<std::vector<std::size_t>>{{0, 2}, {0, 0}, {0, 2, 1}, {1}}) {
    Bytes file(state.file_.begin(), state.file_.begin() + kHeaderLen);
    for (const std::size_t i : order) {
      file.insert(file.end(), frame(i).begin(), frame(i).end());
    }
    Journal journal(kLog);
    EXPECT_EQ(journal.open(file).fault, JournalFault::kDamaged) << order.size() << " frames, last " << order.back();
  }
  Hash other = kLog;
  other[31] = 1;
  Journal journal(other);
  EXPECT_EQ(journal.open(state.file_).fault, JournalFault::kOtherLog);
}

TEST(Journal, RefusesCommitsThatBreakTheRules) {
  State state = small_state();
  const Commit good = state.make({{{3}, {1}}, {{4}, {1}}}, {{8, 3, 'a'}});
  const auto refused = [&](const auto& change, CommitOutcome expected = CommitOutcome::kFailed) {
    Commit bad = good;
    change(bad);
    Bytes append = {42};
    EXPECT_EQ(state.journal_.commit(bad, append), expected);
    EXPECT_EQ(append, Bytes{42});
  };
  refused([](Commit& bad) { bad.base = 2; }, CommitOutcome::kConflict);
  refused([](Commit& bad) { bad.base = 4; }, CommitOutcome::kConflict);
  refused([](Commit& bad) { bad.puts.erase(bad.puts.begin()); });
  refused([](Commit& bad) { bad.puts[0].body[0] = 2; });
  refused([](Commit& bad) { bad.puts[0].body[1] ^= 1; });
  refused([](Commit& bad) { bad.puts[0].body[40] ^= 1; });
  refused([](Commit& bad) { bad.puts[0].body[72] ^= 1; });
  refused([](Commit& bad) { bad.puts[0].body.push_back(0); });
  refused([](Commit& bad) { bad.puts[1].body = {2}; });
  refused([](Commit& bad) { bad.puts[1].body.clear(); });
  refused([](Commit& bad) { bad.puts[1].key.clear(); });
  refused([](Commit& bad) { bad.puts[1].key = Bytes(301, 3); });
  refused([](Commit& bad) { bad.puts[1].key = {0}; });
  refused([](Commit& bad) { std::swap(bad.puts[1], bad.puts[2]); });
  refused([](Commit& bad) { bad.puts[2].key = {3}; });
  refused([](Commit& bad) { bad.deletes = {{9}}; });
  refused([](Commit& bad) { bad.deletes.push_back({8, 3, 'a'}); });
  refused([](Commit& bad) { bad.deletes = {{1}}; });
  refused([](Commit& bad) { bad.puts[2].key = {8, 3, 'a'}; });
  // As a control, the unchanged commit is made.
  Bytes append;
  EXPECT_EQ(state.journal_.commit(good, append), CommitOutcome::kDone);
  EXPECT_EQ(state.journal_.revision(), 4U);
}

TEST(Journal, CompactionKeepsTheState) {
  State state;
  std::mt19937 random(20261129);
  bool was_worth = false;
  for (int i = 0; i < 400; ++i) {
    const auto id = static_cast<std::uint8_t>(random() % 12);
    const Bytes key = {7, 3, id};
    if (state.records_.contains(key) && random() % 4 == 0) {
      state.commit({}, {key});
    } else {
      state.commit({{key, Bytes(1 + random() % 700, id)}}, {});
    }
    if (state.journal_.is_worth_compacting()) {
      was_worth = true;
      const std::size_t before = state.file_.size();
      state.compact();
      EXPECT_LE(2 * state.file_.size(), before + 200);
    }
    Journal journal(kLog);
    ASSERT_EQ(journal.open(state.file_).fault, JournalFault::kNone) << i;
    EXPECT_EQ(journal.revision(), state.revision_);
    EXPECT_TRUE(State::has(journal, state.records_, all_keys(state))) << i;
  }
  EXPECT_TRUE(was_worth);
}

TEST(Journal, ASnapshotThatLostItsEndIsRefused) {
  State state;
  std::vector<Put> puts;
  for (std::uint8_t i = 0; i < 5; ++i) {
    puts.push_back({{7, 3, i}, Bytes(std::size_t{600} << 10, i)});
  }
  state.commit(puts, {});
  state.compact();
  Journal whole(kLog);
  EXPECT_EQ(whole.open(state.file_).fault, JournalFault::kNone);
  for (const std::size_t len : {kHeaderLen, std::size_t{1300} << 10, state.file_.size() - 1}) {
    Journal journal(kLog);
    EXPECT_EQ(journal.open(ByteSpan(state.file_).first(len)).fault, JournalFault::kDamaged) << len;
  }
}

}  // namespace
}  // namespace optiks::client::test
