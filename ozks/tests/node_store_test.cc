// Tests both drivers of node stores, and the state in which a crash leaves a store on disk.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "directory_support.h"
#include "memory_store.h"
#include "stored/lmdb_store.h"
#include "stored_support.h"

namespace optiks::ozks::test {
namespace {

// A folder that is removed at the end of the test.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(scratch_file(name)) { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read(const NodeStore& store, Table table, std::uint64_t key) {
  const StoreKey store_key(key);
  std::string out = "none";
  store.get(table, {&store_key, 1}, [&](std::size_t, ByteSpan value) { out = text_of(value); });
  return out;
}

void put(NodeStore::Transaction& transaction, Table table, std::uint64_t key, const std::string& value) {
  const Bytes octets(value.begin(), value.end());
  transaction.put(table, StoreKey(key), octets);
}

std::string keys_from(const NodeStore& store, Table table, std::uint64_t first, std::size_t at_most) {
  std::string out;
  store.scan(table, StoreKey(first), [&](ByteSpan key, ByteSpan) {
    out += std::to_string(base::load_be64(key.data())) + ' ';
    return --at_most > 0;
  });
  return out;
}

void check_driver(NodeStore& store) {
  EXPECT_EQ(read(store, Table::kPages, 1), "none");
  auto transaction = store.begin();
  put(*transaction, Table::kPages, 300, "c");
  put(*transaction, Table::kPages, 1, "a");
  put(*transaction, Table::kPages, 2, std::string(4080, 'b'));
  put(*transaction, Table::kKeys, 1, "other");
  EXPECT_EQ(read(store, Table::kPages, 1), "none");
  transaction->commit();
  EXPECT_EQ(read(store, Table::kPages, 1), "a");
  EXPECT_EQ(read(store, Table::kPages, 2), std::string(4080, 'b'));
  EXPECT_EQ(read(store, Table::kKeys, 1), "other");
  EXPECT_EQ(read(store, Table::kState, 1), "none");
  EXPECT_EQ(keys_from(store, Table::kPages, 0, 10), "1 2 300 ");
  EXPECT_EQ(keys_from(store, Table::kPages, 2, 10), "2 300 ");
  EXPECT_EQ(keys_from(store, Table::kPages, 0, 2), "1 2 ");
  EXPECT_EQ(keys_from(store, Table::kPages, 301, 2), "");
  {
    // An insertion changes no key that exists, whether the key is committed or in the same transaction.
    const Bytes other{'x'};
    transaction = store.begin();
    EXPECT_FALSE(transaction->insert(Table::kKeys, StoreKey(std::uint64_t{1}), other));
    EXPECT_TRUE(transaction->insert(Table::kKeys, StoreKey(std::uint64_t{2}), other));
    EXPECT_FALSE(transaction->insert(Table::kKeys, StoreKey(std::uint64_t{2}), {}));
    transaction->remove(Table::kKeys, StoreKey(std::uint64_t{1}));
    EXPECT_TRUE(transaction->insert(Table::kKeys, StoreKey(std::uint64_t{1}), other));
    transaction->commit();
    EXPECT_EQ(read(store, Table::kKeys, 1), "x");
    EXPECT_EQ(read(store, Table::kKeys, 2), "x");
  }
  const StoreKey keys[] = {StoreKey(std::uint64_t{300}), StoreKey(std::uint64_t{7}), StoreKey(std::uint64_t{1})};
  std::string seen;
  store.get(Table::kPages, keys, [&](std::size_t i, ByteSpan value) { seen += std::to_string(i) + text_of(value); });
  EXPECT_EQ(seen, "0c2a");
  // Changes without a commit have no effect.
  transaction = store.begin();
  put(*transaction, Table::kPages, 1, "z");
  transaction->remove(Table::kPages, StoreKey(std::uint64_t{2}));
  transaction.reset();
  EXPECT_EQ(keys_from(store, Table::kPages, 0, 10), "1 2 300 ");
  EXPECT_EQ(read(store, Table::kPages, 1), "a");
  transaction = store.begin();
  put(*transaction, Table::kPages, 1, "z");
  transaction->remove(Table::kPages, StoreKey(std::uint64_t{2}));
  transaction->remove(Table::kPages, StoreKey(std::uint64_t{99}));
  transaction->commit();
  EXPECT_EQ(keys_from(store, Table::kPages, 0, 10), "1 300 ");
  EXPECT_EQ(read(store, Table::kPages, 1), "z");
  EXPECT_GT(store.bytes(), 0U);
}

TEST(NodeStore, InMemory) {
  MemoryStore store;
  check_driver(store);
}

TEST(NodeStore, InLmdb) {
  const Folder folder("store");
  {
    LmdbStore store(folder.path());
    check_driver(store);
  }
  const LmdbStore again(folder.path());
  EXPECT_EQ(keys_from(again, Table::kPages, 0, 10), "1 300 ");
}

TEST(NodeStore, ReadersSeeWholeTransactions) {
  const Folder folder("store");
  LmdbStore store(folder.path());
  std::jthread writer([&](const std::stop_token& stop) {
    for (std::uint64_t i = 0; !stop.stop_requested(); ++i) {
      const auto transaction = store.begin();
      put(*transaction, Table::kPages, 1, std::to_string(i));
      put(*transaction, Table::kPages, 2, std::to_string(i));
      transaction->commit();
    }
  });
  std::vector<std::jthread> readers;
  readers.reserve(4);
  for (int r = 0; r < 4; ++r) {
    readers.emplace_back([&] {
      std::string last;
      for (int changes = 0; changes < 50;) {
        const StoreKey keys[] = {StoreKey(std::uint64_t{1}), StoreKey(std::uint64_t{2})};
        std::string values[2];
        store.get(Table::kPages, keys, [&](std::size_t k, ByteSpan value) { values[k] = text_of(value); });
        ASSERT_EQ(values[0], values[1]);
        changes += values[0] == last ? 0 : 1;
        last = values[0];
      }
    });
  }
}

TEST(NodeStore, ALmdbStoreHasOneOwner) {
  const Folder folder("store");
  auto first = std::make_unique<LmdbStore>(folder.path());
  EXPECT_THROW(LmdbStore{folder.path()}, std::system_error);
  first.reset();
  EXPECT_NO_THROW(LmdbStore{folder.path()});
}

TEST(NodeStore, RefusesWhatIsNoStoreOrAShortOne) {
  const Folder folder("store");
  {
    LmdbStore store(folder.path());
    const auto transaction = store.begin();
    for (std::uint64_t i = 0; i < 100; ++i) {
      put(*transaction, Table::kPages, i, std::string(4000, 'x'));
    }
    transaction->commit();
  }
  const std::filesystem::path file = std::filesystem::path(folder.path()) / "data.mdb";
  EXPECT_NO_THROW(LmdbStore{folder.path()});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THROW(LmdbStore{folder.path()}, std::system_error);
  std::filesystem::remove(file);
  std::ofstream(file) << std::string(100'000, 'x');
  EXPECT_THROW(LmdbStore{folder.path()}, std::system_error);
  EXPECT_THROW(LmdbStore{folder.path() + "/missing/folder"}, std::system_error);
}

// Functions for trees in which the number of an epoch determines the leaves of the epoch.
class Repeatable {
 public:
  static std::vector<NaiveLeaf> leaves(std::uint64_t epoch) {
    Random random(epoch);
    std::vector<NaiveLeaf> out;
    for (std::uint64_t i = 0; i < 150; ++i) {
      out.push_back({random.hash(), random.hash(), epoch});
    }
    return out;
  }
  static std::vector<NaiveLeaf> all(std::uint64_t epoch) {
    std::vector<NaiveLeaf> out;
    for (std::uint64_t e = 1; e <= epoch; ++e) {
      const auto some = leaves(e);
      out.insert(out.end(), some.begin(), some.end());
    }
    return out;
  }
  static void publish(StoredTrees& trees) {
    const std::uint64_t epoch = trees.state().epoch + 1;
    ASSERT_TRUE(trees.stage(kKeys, to_stored(leaves(epoch)), alone));
    Tag tag{};
    tag[0] = static_cast<std::uint8_t>(epoch);
    trees.commit(epoch, log_of(epoch), {{{}, epoch}, {tag, epoch}}, epoch - 1);
  }
  // Checks that the store is at this epoch, and has only the pages of this epoch's tree.
  static void check(const std::string& path, std::uint64_t epoch) {
    auto store = std::make_unique<LmdbStore>(path);
    const NodeStore& inside = *store;
    StoredTrees trees(std::move(store), StoreOwner{}, 0);
    ASSERT_EQ(trees.state().epoch, epoch);
    EXPECT_EQ(trees.state().log.len, epoch);
    EXPECT_EQ(trees.find({}), epoch == 0 ? kNoLogOffset : epoch);
    EXPECT_EQ(trees.state().trees[structure_index(kKeys)].root_hash, NaiveTree(all(epoch)).root());
    const Census found = census(inside, trees.state().trees[structure_index(kKeys)], all(epoch));
    trees.commit(epoch, log_of(epoch), {}, epoch);
    EXPECT_EQ(num_pages(inside), found.pages);
  }
};

TEST(StoredTreesOnDisk, GoOnAfterARestart) {
  const Folder folder("store");
  for (std::uint64_t epoch = 1; epoch <= 8; ++epoch) {
    StoredTrees trees(std::make_unique<LmdbStore>(folder.path()), StoreOwner{}, 1U << 20);
    ASSERT_EQ(trees.state().epoch, epoch - 1);
    Repeatable::publish(trees);
  }
  Repeatable::check(folder.path(), 8);
}

TEST(StoredTreesOnDisk, AreRefusedToAnotherOwner) {
  const Folder folder("store");
  StoreOwner owner;
  owner.period = 3;
  owner.period_first_epoch = 1;
  owner.tag_check[0] = 1;
  Repeatable::publish(*std::make_unique<StoredTrees>(std::make_unique<LmdbStore>(folder.path()), owner, 0));
  const auto open = [&](const StoreOwner& by) { StoredTrees(std::make_unique<LmdbStore>(folder.path()), by, 0); };
  EXPECT_NO_THROW(open(owner));
  StoreOwner other = owner;
  other.period = 4;
  EXPECT_THROW(open(other), std::system_error);
  other = owner;
  other.period_first_epoch = 2;
  EXPECT_THROW(open(other), std::system_error);
  other = owner;
  other.tag_check[0] = 2;
  EXPECT_THROW(open(other), std::system_error);
  other = owner;
  other.vrf_public_keys[2][5] = 1;
  EXPECT_THROW(open(other), std::system_error);
}

// Tests that reading a damaged page is always an error, and never gives the contents of another tree.
TEST(StoredTreesOnDisk, DamagedPagesAreErrors) {
  const Folder folder("store");
  LmdbStore* store = nullptr;
  auto made = std::make_unique<LmdbStore>(folder.path());
  store = made.get();
  StoredTrees trees(std::move(made), StoreOwner{}, 0);
  Repeatable::publish(trees);
  const PageId root = trees.state().trees[structure_index(kKeys)].root;
  Bytes octets;
  const StoreKey key(root);
  store->get(Table::kPages, {&key, 1}, [&](std::size_t, ByteSpan value) { octets.assign(value.begin(), value.end()); });
  const auto walk_with = [&](const Bytes& page) {
    const auto transaction = store->begin();
    transaction->put(Table::kPages, key, page);
    transaction->commit();
    Paths room;
    return path_of(trees, trees.state().trees[structure_index(kKeys)], Repeatable::leaves(1)[0].label, room).common;
  };
  EXPECT_EQ(walk_with(octets), verify::kLabelBits);
  for (std::size_t i = 0; i < octets.size(); i += 97) {
    Bytes damaged = octets;
    damaged[i] ^= 1;
    EXPECT_THROW(static_cast<void>(walk_with(damaged)), std::system_error);
  }
  EXPECT_THROW(static_cast<void>(walk_with(Bytes(octets.begin(), octets.end() - 1))), std::system_error);
  EXPECT_THROW(static_cast<void>(walk_with({})), std::system_error);
  // This page has a correct checksum but a node that is its own child.
  Bytes looped = octets;
  looped[kPageHeaderLen + 1] = child_code(ChildKind::kNode, 0);
  base::store_be32(looped.data(), page_checksum(root, looped));
  EXPECT_THROW(static_cast<void>(walk_with(looped)), std::system_error);
  EXPECT_EQ(walk_with(octets), verify::kLabelBits);
}

// Starts a process that publishes epoch after epoch, kills it at a random time, and repeats this.
TEST(StoredTreesOnDisk, AKilledWriterLeavesOneEpochOrTheNext) {
  const Folder folder("store");
  Random random(21);
  std::uint64_t epoch = 0;
  for (int kill_number = 0; kill_number < 12; ++kill_number) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      StoredTrees trees(std::make_unique<LmdbStore>(folder.path()), StoreOwner{}, 1U << 20);
      for (;;) {
        Repeatable::publish(trees);
        const std::uint64_t done = trees.state().epoch;
        if (write(ends[1], &done, sizeof(done)) != sizeof(done)) {
          _exit(1);
        }
      }
    }
    close(ends[1]);
    std::uint64_t done = 0;
    for (std::uint64_t i = random.below(4) + 1; i > 0; --i) {
      ASSERT_EQ(::read(ends[0], &done, sizeof(done)), static_cast<ssize_t>(sizeof(done)));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(8000)));
    ASSERT_EQ(kill(writer, SIGKILL), 0);
    ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
    // Reads the last epoch that the killed process reported.
    for (std::uint64_t said = 0; ::read(ends[0], &said, sizeof(said)) == static_cast<ssize_t>(sizeof(said));) {
      done = said;
    }
    close(ends[0]);
    {
      const StoredTrees trees(std::make_unique<LmdbStore>(folder.path()), StoreOwner{}, 0);
      epoch = trees.state().epoch;
    }
    EXPECT_TRUE(epoch == done || epoch == done + 1) << epoch << " after " << done;
    Repeatable::check(folder.path(), epoch);
  }
  EXPECT_GT(epoch, 12U);
}

}  // namespace
}  // namespace optiks::ozks::test
