#include "stored/lmdb_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "stored/lmdb_library.h"

namespace optiks::ozks {
namespace {

// The maximum size of the store's file. LMDB reserves this range of addresses, which uses neither memory nor disk.
constexpr std::size_t kMapLen = std::size_t{1} << 40;
// The maximum number of threads that read at the same time. Each of them uses a cache line of the lock file.
constexpr unsigned kMaxReaders = 4096;

constexpr const char* kTableNames[kNumTables] = {"state", "pages", "keys", "garbage"};

class LmdbCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "lmdb"; }
  // Returns the text of an LMDB error, or of a system error that LMDB returned.
  [[nodiscard]] std::string message(int code) const override { return lmdb().strerror(code); }
};

[[noreturn]] void fail(int code, const char* what) {
  static const LmdbCategory kCategory;
  throw std::system_error(code, kCategory, what);
}

void require(int code, const char* what) {
  if (code != MDB_SUCCESS) {
    fail(code, what);
  }
}

// The cast is needed because LMDB takes its input through a pointer to non-const memory.
MDB_val value_of(ByteSpan octets) { return {octets.size(), const_cast<std::uint8_t*>(octets.data())}; }

ByteSpan span_of(const MDB_val& value) { return {static_cast<const std::uint8_t*>(value.mv_data), value.mv_size}; }

}  // namespace

// A read transaction. The constructor takes an idle transaction or begins one, and the destructor keeps it for reuse.
class LmdbStore::Reader {
 public:
  explicit Reader(const LmdbStore& store) : store_(store) {
    {
      const std::lock_guard lock(store.readers_mutex_);
      if (!store.readers_.empty()) {
        transaction_ = store.readers_.back();
        store.readers_.pop_back();
      }
    }
    if (transaction_ == nullptr) {
      require(lmdb().txn_begin(store.env_, nullptr, MDB_RDONLY, &transaction_), "reading the node store");
      return;
    }
    const int code = lmdb().txn_renew(transaction_);
    if (code != MDB_SUCCESS) {
      lmdb().txn_abort(transaction_);
      fail(code, "reading the node store");
    }
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    lmdb().txn_reset(transaction_);
    const std::lock_guard lock(store_.readers_mutex_);
    if (store_.readers_.size() < store_.readers_.capacity()) {
      store_.readers_.push_back(transaction_);
    } else {
      lmdb().txn_abort(transaction_);
    }
  }

  [[nodiscard]] MDB_txn* get() const { return transaction_; }

 private:
  const LmdbStore& store_;
  MDB_txn* transaction_ = nullptr;
};

class LmdbStore::Writer final : public Transaction {
 public:
  explicit Writer(const LmdbStore& store) : tables_(store.tables_) {
    require(lmdb().txn_begin(store.env_, nullptr, 0, &transaction_), "writing the node store");
  }
  ~Writer() override {
    if (transaction_ != nullptr) {
      lmdb().txn_abort(transaction_);
    }
  }

  void put(Table table, const StoreKey& key, ByteSpan value) override {
    require(put(table, key, value, 0), "writing the node store");
  }

  bool insert(Table table, const StoreKey& key, ByteSpan value) override {
    const int code = put(table, key, value, MDB_NOOVERWRITE);
    if (code != MDB_KEYEXIST) {
      require(code, "writing the node store");
    }
    return code != MDB_KEYEXIST;
  }

  void remove(Table table, const StoreKey& key) override {
    MDB_val mdb_key = value_of(key.get());
    const int code = lmdb().del(transaction_, tables_[static_cast<std::size_t>(table)], &mdb_key, nullptr);
    if (code != MDB_NOTFOUND) {
      require(code, "writing the node store");
    }
  }

  void commit() override {
    // txn_commit() frees the transaction even if it fails, so the destructor must not abort it.
    require(lmdb().txn_commit(std::exchange(transaction_, nullptr)), "committing to the node store");
  }

 private:
  int put(Table table, const StoreKey& key, ByteSpan value, unsigned flags) {
    MDB_val mdb_key = value_of(key.get());
    MDB_val mdb_value = value_of(value);
    return lmdb().put(transaction_, tables_[static_cast<std::size_t>(table)], &mdb_key, &mdb_value, flags);
  }

  const std::array<MDB_dbi, kNumTables>& tables_;
  MDB_txn* transaction_ = nullptr;
};

LmdbStore::LmdbStore(std::string folder) : path_(std::move(folder)) {
  try {
    open();
  } catch (...) {
    close();
    throw;
  }
}

LmdbStore::~LmdbStore() { close(); }

void LmdbStore::open() {
  readers_.reserve(kMaxReaders);
  if (mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) {
    fail(errno, "making the node store's folder");
  }
  folder_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) {
    fail(errno, "opening the node store's folder");
  }
  // With this lock, only one process can use the folder; two writers would use the same page ids. The lock also keeps
  // this process from opening the file twice, which LMDB does not allow.
  if (flock(folder_, LOCK_EX | LOCK_NB) != 0) {
    fail(errno, "the node store is in use");
  }
  require(lmdb().env_create(&env_), "opening the node store");
  require(lmdb().env_set_mapsize(env_, kMapLen), "opening the node store");
  require(lmdb().env_set_maxreaders(env_, kMaxReaders), "opening the node store");
  require(lmdb().env_set_maxdbs(env_, kNumTables), "opening the node store");
  // MDB_NORDAHEAD: pages are read in random order, so reading ahead would not help. MDB_NOTLS: a read transaction may
  // move from one thread to another.
  require(lmdb().env_open(env_, path_.c_str(), MDB_NOTLS | MDB_NORDAHEAD, 0600), "opening the node store");
  int file = -1;
  struct stat status {};
  require(lmdb().env_get_fd(env_, &file), "opening the node store");
  if (fstat(file, &status) != 0) {
    fail(errno, "opening the node store");
  }
  // The file must be as long as its header says: if the process reads mapped memory beyond the end of the file, the
  // system kills it.
  if (static_cast<std::uint64_t>(status.st_size) < bytes()) {
    fail(MDB_CORRUPTED, "the node store is shorter than it says");
  }
  MDB_txn* transaction = nullptr;
  require(lmdb().txn_begin(env_, nullptr, 0, &transaction), "opening the node store");
  for (std::size_t i = 0; i < kNumTables; ++i) {
    const int code = lmdb().dbi_open(transaction, kTableNames[i], MDB_CREATE, &tables_[i]);
    if (code != MDB_SUCCESS) {
      lmdb().txn_abort(transaction);
      fail(code, "opening the node store");
    }
  }
  require(lmdb().txn_commit(transaction), "opening the node store");
}

void LmdbStore::close() noexcept {
  for (MDB_txn* reader : readers_) {
    lmdb().txn_abort(reader);
  }
  if (env_ != nullptr) {
    lmdb().env_close(env_);
  }
  if (folder_ >= 0) {
    ::close(folder_);
  }
}

void LmdbStore::get(Table table, std::span<const StoreKey> keys, const Visit& visit) const {
  const Reader reader(*this);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    MDB_val key = value_of(keys[i].get());
    MDB_val value{};
    const int code = lmdb().get(reader.get(), tables_[static_cast<std::size_t>(table)], &key, &value);
    if (code != MDB_NOTFOUND) {
      require(code, "reading the node store");
      visit(i, span_of(value));
    }
  }
}

void LmdbStore::scan(Table table, const StoreKey& first, const Scan& scan) const {
  const Reader reader(*this);
  MDB_cursor* opened = nullptr;
  require(lmdb().cursor_open(reader.get(), tables_[static_cast<std::size_t>(table)], &opened),
          "reading the node store");
  const std::unique_ptr<MDB_cursor, decltype(lmdb().cursor_close)> cursor(opened, lmdb().cursor_close);
  MDB_val key = value_of(first.get());
  MDB_val value{};
  int code = lmdb().cursor_get(cursor.get(), &key, &value, MDB_SET_RANGE);
  while (code == MDB_SUCCESS && scan(span_of(key), span_of(value))) {
    code = lmdb().cursor_get(cursor.get(), &key, &value, MDB_NEXT);
  }
  if (code != MDB_SUCCESS && code != MDB_NOTFOUND) {
    fail(code, "reading the node store");
  }
}

std::unique_ptr<NodeStore::Transaction> LmdbStore::begin() { return std::make_unique<Writer>(*this); }

std::uint64_t LmdbStore::bytes() const {
  MDB_envinfo info{};
  MDB_stat stat{};
  require(lmdb().env_info(env_, &info), "reading the node store");
  require(lmdb().env_stat(env_, &stat), "reading the node store");
  return (info.me_last_pgno + 1) * std::uint64_t{stat.ms_psize};
}

}  // namespace optiks::ozks
