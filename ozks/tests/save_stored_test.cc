// Tests snapshots that a directory in stored mode saves. They must have the same contents as the snapshots of a
// directory in linked mode that has the same epochs, and directories in both modes must start from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <thread>

#include "optiks/base/crc32c.h"
#include "saved_support.h"
#include "stored_support.h"

namespace optiks::ozks::test {
namespace {

// The payload of a snapshot. Everything except the keys has only one encoding; the keys may have any order.
struct Contents {
  Bytes header;  // without the identity of the leaf log, which is random
  Bytes trees;
  std::vector<std::vector<std::array<std::uint8_t, saved::kKeyLen>>> segments;
  std::vector<std::array<std::uint8_t, saved::kMovedLen>> moved;

  bool operator==(const Contents&) const = default;
};

Contents contents_of(const std::string& path) {
  const Bytes file = read_file(path);
  Bytes payload;
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t len = base::load_be32(file.data() + at);
    payload.insert(payload.end(), file.begin() + static_cast<std::ptrdiff_t>(at + 8),
                   file.begin() + static_cast<std::ptrdiff_t>(at + 8 + len));
    at += 8 + len;
  }
  Contents out;
  const auto at = [&](std::size_t offset) { return payload.begin() + static_cast<std::ptrdiff_t>(offset); };
  constexpr std::size_t kIdentity = saved::kEpoch + 8 + 16;
  out.header.assign(at(0), at(kIdentity));
  out.header.insert(out.header.end(), at(kIdentity + 16), at(saved::kTrees));
  std::size_t end = saved::kTrees;
  for (std::uint8_t structure = 1; structure <= OPTIKS_NUM_STRUCTURES; ++structure) {
    const std::uint64_t count = base::load_be64(payload.data() + saved::count_of(structure) - 7);
    end += count * saved::kLeafLen + (count == 0 ? 0 : count - 1) * saved::kInteriorLen;
  }
  out.trees.assign(at(saved::kTrees), at(end));
  out.segments.resize(64);
  for (auto& segment : out.segments) {
    for (;; end += saved::kKeyLen) {
      if (base::load_be32(payload.data() + end + 4) == 0xffffffff) {
        end += saved::kKeyLen;
        break;
      }
      std::copy_n(at(end), saved::kKeyLen, segment.emplace_back().begin());
    }
    std::ranges::sort(segment);
  }
  for (; base::load_be64(payload.data() + end + 5) != kNoLogOffset; end += saved::kMovedLen) {
    std::copy_n(at(end), saved::kMovedLen, out.moved.emplace_back().begin());
  }
  std::ranges::sort(out.moved);
  EXPECT_EQ(end + saved::kMovedLen, payload.size());
  return out;
}

class SaveStored : public testing::Test {
 protected:
  SaveStored() { remove(); }
  ~SaveStored() override { remove(); }

  void remove() const {
    std::filesystem::remove_all(nodes_);
    std::filesystem::remove_all(nodes_ + "-other");
  }
  [[nodiscard]] optiks_dir_options_t options() const {
    optiks_dir_options_t options = options_with(log_.c_str());
    options.node_store_path = nodes_.c_str();
    options.node_cache_bytes = 1U << 20;
    return options;
  }
  void save(const Seen& seen) const {
    ASSERT_EQ(optiks_view_save(seen.view(), file_.c_str()), OPTIKS_OK) << last_error();
  }
  // Restores the snapshot in linked or stored mode.
  [[nodiscard]] DirectoryHandle restored(bool is_stored) const {
    const std::string other = nodes_ + "-other";
    std::filesystem::remove_all(other);
    DirectoryHandle out;
    EXPECT_EQ(restore(file_, log_, out,
                      [&](optiks_dir_options_t& options) {
                        options.node_store_path = is_stored ? other.c_str() : nullptr;
                        options.node_cache_bytes = is_stored ? 1U << 20 : 0;
                      }),
              OPTIKS_OK)
        << last_error();
    if (!is_stored) {
      EXPECT_EQ(optiks_dir_check(out.get()), OPTIKS_OK) << last_error();
    }
    return out;
  }

  std::string log_ = scratch_file("log");
  std::string linked_log_ = scratch_file("linked-log");
  std::string file_ = scratch_file("snapshot");
  std::string linked_file_ = scratch_file("linked-snapshot");
  std::string nodes_ = scratch_file("nodes");
};

void expect_equal(const Seen& a, const Seen& b, std::uint64_t num_keys = 16) {
  EXPECT_EQ(a.epoch(), b.epoch());
  EXPECT_EQ(a.states(), b.states());
  for (const std::uint8_t structure : {OPTIKS_DEVICES, OPTIKS_KEYS}) {
    for (std::uint64_t i = 0; i < num_keys; ++i) {
      EXPECT_EQ(a.lookup(structure, key_name(i)), b.lookup(structure, key_name(i)));
      EXPECT_EQ(a.versions(structure, key_name(i), 1), b.versions(structure, key_name(i), 1));
    }
  }
}

TEST_F(SaveStored, WritesWhatLinkedModeWrites) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    remove();
    Random random(seed);
    const DirectoryHandle linked = create(options_with(linked_log_.c_str()));
    const DirectoryHandle stored = create(options());
    // The views of an earlier epoch. Its pages were superseded since, and some of its keys have newer leaves.
    std::optional<Seen> linked_before;
    std::optional<Seen> stored_before;
    for (std::uint64_t epoch = 0; epoch <= 24; ++epoch) {
      if (epoch != 0) {
        std::vector<Update> updates = random_updates(random, epoch);
        if (epoch % 3 == 0) {
          updates.push_back({OPTIKS_USERNAMES, numbered("name ", epoch), "user"});
        }
        commit(stage(stored.get(), publish(linked.get(), epoch, updates), false));
      }
      if (epoch == 12) {
        linked_before.emplace(linked.get());
        stored_before.emplace(stored.get());
      }
      const auto compare = [&](const Seen& by_linked, const Seen& by_stored) {
        ASSERT_EQ(optiks_view_save(by_linked.view(), linked_file_.c_str()), OPTIKS_OK);
        save(by_stored);
        EXPECT_EQ(contents_of(file_), contents_of(linked_file_)) << epoch;
        if (epoch % 6 == 0) {
          for (const bool is_stored : {false, true}) {
            const DirectoryHandle again = restored(is_stored);
            expect_equal(Seen(again.get()), by_linked);
          }
        }
      };
      compare(Seen(linked.get()), Seen(stored.get()));
      if (linked_before.has_value()) {
        compare(*linked_before, *stored_before);
        EXPECT_EQ(contents_of(file_).moved.empty(), epoch == 12);
      }
    }
  }
}

TEST_F(SaveStored, DirectoriesGoOnFromIt) {
  Random random(9);
  const DirectoryHandle linked = create(options_with(nullptr));
  const DirectoryHandle stored = create(options());
  for (std::uint64_t epoch = 1; epoch <= 10; ++epoch) {
    commit(stage(stored.get(), publish(linked.get(), epoch, random_updates(random, epoch)), false));
  }
  save(Seen(stored.get()));
  const DirectoryHandle in_memory = restored(false);
  const std::string moved = log_ + "-moved";
  std::filesystem::rename(log_ + "-copy", moved);
  const DirectoryHandle on_disk = restored(true);
  for (std::uint64_t epoch = 11; epoch <= 20; ++epoch) {
    const StoredEpoch rows = publish(linked.get(), epoch, random_updates(random, epoch));
    for (optiks_dir_t* const dir : {in_memory.get(), on_disk.get()}) {
      commit(stage(dir, rows, false));
      expect_equal(Seen(dir), Seen(linked.get()));
    }
  }
}

// Tests more leaves and keys than one transaction reads. They come from a first load, whose pages have another shape
// than those of epochs, and from an epoch.
TEST_F(SaveStored, TakesManyLeaves) {
  constexpr std::uint64_t kNumKeys = 20000;
  std::vector<Update> updates;
  for (std::uint64_t i = 0; i < kNumKeys; ++i) {
    updates.push_back({i % 8 == 0 ? std::uint8_t{OPTIKS_DEVICES} : std::uint8_t{OPTIKS_KEYS}, key_name(i), "value"});
  }
  const DirectoryHandle linked = create(options_with(linked_log_.c_str()));
  const DirectoryHandle stored = create(options());
  const StoredEpoch first = publish(linked.get(), 1, updates);
  ASSERT_EQ(
      optiks_dir_load(stored.get(), 1, first.rows.data(), first.rows.size(), first.values.data(), first.values.size()),
      OPTIKS_OK);
  ASSERT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK) << last_error();
  updates.resize(6000);
  commit(stage(stored.get(), publish(linked.get(), 2, updates), false));
  ASSERT_EQ(optiks_view_save(Seen(linked.get()).view(), linked_file_.c_str()), OPTIKS_OK);
  save(Seen(stored.get()));
  EXPECT_EQ(contents_of(file_), contents_of(linked_file_));
  for (const bool is_stored : {false, true}) {
    const DirectoryHandle again = restored(is_stored);
    expect_equal(Seen(again.get()), Seen(linked.get()), 40);
  }
}

TEST_F(SaveStored, BesideRunningEpochs) {
  const DirectoryHandle linked = create(options_with(nullptr));
  const DirectoryHandle stored = create(options());
  Random random(74);
  std::uint64_t epoch = 0;
  const auto next = [&] {
    ++epoch;
    commit(stage(stored.get(), publish(linked.get(), epoch, random_updates(random, epoch)), false));
  };
  for (int i = 0; i < 20; ++i) {
    next();
  }
  for (int i = 0; i < 12; ++i) {
    const Seen expected(linked.get());
    {
      const Seen pinned(stored.get());
      std::int32_t status = OPTIKS_OK;
      std::thread saver([&] { status = optiks_view_save(pinned.view(), file_.c_str()); });
      next();
      next();
      saver.join();
      ASSERT_EQ(status, OPTIKS_OK) << last_error();
    }
    const DirectoryHandle again = restored(i % 2 != 0);
    expect_equal(Seen(again.get()), expected);
  }
}

// Tests stored trees whose store is damaged. A save must fail; it must neither crash nor write a snapshot that looks
// correct.
class DamagedStore : public testing::Test {
 protected:
  DamagedStore() {
    Random random(5);
    for (std::uint64_t i = 0; i < 300; ++i) {
      LeafFacts facts;
      facts.epoch = 1;
      facts.version = 1;
      facts.tag = {static_cast<std::uint8_t>(random.below(256)), static_cast<std::uint8_t>(i >> 8),
                   static_cast<std::uint8_t>(i)};
      NewLeaf leaf{};
      leaf.label[0] = static_cast<std::uint8_t>(random.below(256));
      leaf.label[1] = static_cast<std::uint8_t>(i >> 8);
      leaf.label[2] = static_cast<std::uint8_t>(i);
      leaf.log_offset = log_.append(facts, {}, {});
      leaves_.push_back(leaf);
      keys_.push_back({facts.tag, leaf.log_offset});
    }
    std::ranges::sort(leaves_, {}, &NewLeaf::label);
    EXPECT_TRUE(stored_.trees->stage(2, leaves_, alone));
    stored_.trees->commit(1, log_of(log_.size()), keys_, 1);
  }

  // Returns the number of octets that were saved. Throws the exception of the save.
  std::size_t save(Trees trees) const {
    std::size_t len = 0;
    stored_.trees->save(log_, 1, trees, [&](ByteSpan element) { len += element.size(); });
    return len;
  }
  std::size_t save() const { return save(stored_.trees->state().trees); }
  void put(Table table, const StoreKey& key, ByteSpan value) const {
    const auto transaction = stored_.store->begin();
    transaction->put(table, key, value);
    transaction->commit();
  }
  [[nodiscard]] std::vector<std::pair<PageId, Bytes>> pages() const {
    std::vector<std::pair<PageId, Bytes>> out;
    stored_.store->scan(Table::kPages, StoreKey(std::uint64_t{0}), [&](ByteSpan key, ByteSpan page) {
      out.emplace_back(base::load_be64(key.data()), Bytes(page.begin(), page.end()));
      return true;
    });
    return out;
  }

  Stored stored_{0};
  LeafLog log_{nullptr};
  std::vector<NewLeaf> leaves_;
  std::vector<StoredTrees::Key> keys_;
};

TEST_F(DamagedStore, IsNoticedByItsPages) {
  const std::size_t len = save();
  EXPECT_EQ(len, 300 * (saved::kLeafLen + saved::kInteriorLen) - saved::kInteriorLen + (300 + 64) * saved::kKeyLen +
                     saved::kMovedLen);
  ASSERT_GT(pages().size(), 2U);
  for (const auto& [id, octets] : pages()) {
    Bytes damaged = octets;
    damaged[octets.size() / 2] ^= 1;
    put(Table::kPages, StoreKey(id), damaged);
    EXPECT_THROW(static_cast<void>(save()), std::system_error);
    {
      const auto transaction = stored_.store->begin();
      transaction->remove(Table::kPages, StoreKey(id));
      transaction->commit();
    }
    EXPECT_THROW(static_cast<void>(save()), std::system_error);
    put(Table::kPages, StoreKey(id), octets);
  }
  EXPECT_EQ(save(), len);
}

// A page with a correct checksum names the root's page as a child, so a walk of the whole tree would never end.
TEST_F(DamagedStore, DoesNotMakeTheSaveGoRound) {
  const PageId root = stored_.trees->state().trees[2].root;
  for (auto& [id, octets] : pages()) {
    Page page;
    ASSERT_TRUE(Page::parse(id, octets, page));
    if (page.num_refs() == 0) {
      continue;
    }
    Bytes changed = octets;
    base::store_be64(changed.data() + changed.size() - sizeof(PageRef), root);
    base::store_be32(changed.data(), page_checksum(id, changed));
    put(Table::kPages, StoreKey(id), changed);
    EXPECT_THROW(static_cast<void>(save()), std::system_error);
    put(Table::kPages, StoreKey(id), octets);
  }
}

TEST_F(DamagedStore, IsNoticedByItsCounts) {
  Trees trees = stored_.trees->state().trees;
  for (const std::uint64_t count : {std::uint64_t{299}, std::uint64_t{301}, std::uint64_t{1}}) {
    trees[2].count = count;
    EXPECT_THROW(static_cast<void>(save(trees)), std::system_error) << count;
  }
  for (const std::uint64_t count : {std::uint64_t{0xffffffff}, ~std::uint64_t{0}}) {
    trees[2].count = count;
    EXPECT_THROW(static_cast<void>(save(trees)), DirectoryError) << count;
  }
}

TEST_F(DamagedStore, IsNoticedByItsKeys) {
  const std::size_t len = save();
  const auto [tag, log_offset] = keys_[0];
  const auto put_offset = [&](std::uint64_t offset) {
    std::array<std::uint8_t, 8> value{};
    base::store_be64(value.data(), offset);
    put(Table::kKeys, StoreKey(ByteSpan(tag)), value);
  };
  put_offset(log_offset + 1);
  EXPECT_THROW(static_cast<void>(save()), std::system_error) << "no record";
  put_offset(kNoLogOffset);
  EXPECT_THROW(static_cast<void>(save()), std::system_error) << "beyond the log";
  LeafFacts facts;
  facts.epoch = 1;
  put_offset(log_.append(facts, {}, {}));
  EXPECT_THROW(static_cast<void>(save()), std::system_error) << "a record of the epoch whose leaf is not in the trees";
  facts.epoch = 2;
  put_offset(log_.append(facts, {}, {}));
  EXPECT_EQ(save(), len - saved::kKeyLen) << "a key that is newer than the epoch";
  facts.previous = log_offset;
  put_offset(log_.append(facts, {}, {}));
  EXPECT_EQ(save(), len - saved::kKeyLen + saved::kMovedLen) << "a key that has a newer leaf";
  const std::uint8_t octet = 0;
  put(Table::kKeys, StoreKey(ByteSpan(tag)), {&octet, 1});
  EXPECT_THROW(static_cast<void>(save()), std::system_error);
  put_offset(log_offset);
  EXPECT_EQ(save(), len);
  put(Table::kKeys, StoreKey(ByteSpan(tag).first(15)), {&octet, 1});
  EXPECT_THROW(static_cast<void>(save()), std::system_error);
}

}  // namespace
}  // namespace optiks::ozks::test
