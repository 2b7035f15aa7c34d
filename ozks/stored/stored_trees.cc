#include "stored/stored_trees.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "leaves/directory_error.h"
#include "stored/copies_builder.h"
#include "stored/store_builder.h"

namespace optiks::ozks {
namespace {

// The number of leaves that are put into a tree at once. In a large tree, each leaf may load about 10 KB into memory:
// one page of each level.
constexpr std::size_t kLeafBatch = 4096;
// If there are more than kLeafBatch leaves, one of kSpread leaves is added before the other leaves.
constexpr std::size_t kSpread = 16;
// The maximum total size of a staged epoch's pages that wait in memory for the commit. All pages of a usual epoch fit.
constexpr std::uint64_t kMaxPending = std::uint64_t{32} << 20;
// The maximum number of ids in one row of the table of superseded pages.
constexpr std::size_t kIdsPerRow = 2048;

StoreKey state_key() { return StoreKey(std::uint64_t{0}); }

// Returns the key of a row of superseded pages. In the order of the table, the rows of one epoch are next to each
// other.
StoreKey garbage_key(std::uint64_t epoch, std::uint64_t row) {
  std::array<std::uint8_t, 16> octets{};
  base::store_be64(octets.data(), epoch);
  base::store_be64(octets.data() + 8, row);
  return StoreKey(octets);
}

// Encodes the log offset of a key's newest record.
std::array<std::uint8_t, 8> encode_offset(std::uint64_t log_offset) {
  std::array<std::uint8_t, 8> out{};
  base::store_be64(out.data(), log_offset);
  return out;
}

[[noreturn]] void refuse(std::errc why, const char* text) { throw std::system_error(std::make_error_code(why), text); }

}  // namespace

class StoredTrees::StagedPages final : public PageReader {
 public:
  explicit StagedPages(const StoredTrees& trees) : trees_(trees) {}

  void read(std::span<const PageId> ids, Page* out) const override {
    std::vector<PageId> written;
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto pending = trees_.pending_.find(ids[i]);
      if (pending == trees_.pending_.end()) {
        written.push_back(ids[i]);
        indexes.push_back(i);
      } else if (!Page::parse(ids[i], pending->second.octets, out[i])) {
        refuse(std::errc::bad_message, "a page was made wrong");
      }
    }
    std::vector<Page> pages(written.size());
    trees_.cached_.read_once(written, pages.data());
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      out[indexes[i]] = std::move(pages[i]);
    }
  }

 private:
  const StoredTrees& trees_;
};

StoredTrees::StoredTrees(std::unique_ptr<NodeStore> store, const StoreOwner& owner, std::uint64_t cache_bytes)
    : store_(std::move(store)), cache_(cache_bytes), cached_(*store_, cache_) {
  bool is_new = true;
  bool is_readable = true;
  const StoreKey row_key = state_key();
  store_->get(Table::kState, {&row_key, 1}, [&](std::size_t, ByteSpan row) {
    is_new = false;
    is_readable = decode(row, state_);
  });
  if (!is_readable) {
    refuse(std::errc::bad_message, "the node store is damaged or of another format");
  }
  if (is_new) {
    state_.owner = owner;
  } else if (state_.owner != owner) {
    refuse(std::errc::invalid_argument, "the node store is of another period or of other secrets");
  } else if (state_.owner.period != 0 && state_.owner.period_first_epoch == 0) {
    refuse(std::errc::bad_message, "the node store was not finished before its period began");
  }
  if (state_.epoch == 0) {
    for (const Table table : {Table::kPages, Table::kKeys}) {
      store_->scan(table, StoreKey(std::uint64_t{0}), [](ByteSpan, ByteSpan) -> bool {
        refuse(std::errc::bad_message, "the node store was not finished");
      });
    }
  }
  next_page_ = state_.next_page;
  first_staged_ = next_page_;
  staged_ = state_.trees;
  const auto transaction = store_->begin();
  remove_abandoned(*transaction, ~PageId{0});
  transaction->commit();
}

// Removes pages that were written for epochs without a commit. Only pages whose id is less than `end` are removed.
void StoredTrees::remove_abandoned(NodeStore::Transaction& transaction, PageId end) const {
  store_->scan(Table::kPages, StoreKey(state_.next_page), [&](ByteSpan key, ByteSpan) {
    const PageId id = base::load_be64(key.data());
    if (id < end) {
      transaction.remove(Table::kPages, StoreKey(id));
    }
    return id < end;
  });
}

std::uint64_t StoredTrees::find(const Tag& tag) const {
  const StoreKey key{ByteSpan(tag)};
  std::uint64_t log_offset = kNoLogOffset;
  store_->get(Table::kKeys, {&key, 1}, [&](std::size_t, ByteSpan value) {
    if (value.size() != 8) {
      refuse(std::errc::bad_message, "a key of the node store is damaged");
    }
    log_offset = base::load_be64(value.data());
  });
  return log_offset;
}

std::uint64_t StoredTrees::find_newest(const LeafLog& log, const Tag& key, LeafRecord& out) const {
  const std::uint64_t log_offset = find(key);
  if (log_offset != kNoLogOffset) {
    log.read(log_offset, out);
  }
  return log_offset;
}

TreeStats StoredTrees::stats() const {
  TreeStats out;
  out.tree_bytes = cache_.bytes();
  out.disk_bytes = store_->bytes();
  out.cache_hits = cache_.hits();
  out.cache_misses = cache_.misses();
  return out;
}

std::unique_ptr<BulkLoad> StoredTrees::begin_bulk_load(bool reuses_usernames) {
  return state_.epoch == 0 ? std::make_unique<StoreBuilder>(*this, reuses_usernames) : nullptr;
}

std::unique_ptr<BulkCopies> StoredTrees::begin_copies() {
  const bool is_empty = state_.trees[structure_index(verify::kDevices)].count == 0 &&
                        state_.trees[structure_index(verify::kKeys)].count == 0;
  return is_empty ? std::make_unique<CopiesBuilder>(*this) : nullptr;
}

bool StoredTrees::stage(std::uint8_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                        const StepProof* proof) {
  if (proof != nullptr) {
    throw DirectoryError(OPTIKS_E_STATE, "a directory in stored mode makes no append-only proofs");
  }
  staged_keys_.reserve(staged_keys_.size() + leaves.size());
  for (const NewLeaf& leaf : leaves) {
    if (leaf.is_newest) {
      staged_keys_.push_back({leaf.tag, leaf.log_offset});
    }
  }
  return stage(structure, leaves, workers);
}

bool StoredTrees::stage(std::uint8_t structure, std::span<const NewLeaf> leaves, Workers& workers) {
  const auto is_before = [](const NewLeaf& a, const NewLeaf& b) { return a.label < b.label; };
  for (std::size_t i = 1; i < leaves.size(); ++i) {
    if (!is_before(leaves[i - 1], leaves[i])) {
      return false;
    }
  }
  if (leaves.size() <= kLeafBatch) {
    return stage_at_once(structure, leaves, workers);
  }
  // The function first adds a few leaves from the whole range, so that the upper pages get their final shape. Then it
  // adds the other leaves in order, which changes each lower page only once.
  std::vector<NewLeaf> some;
  for (std::size_t i = 0; i < leaves.size(); i += kSpread) {
    some.push_back(leaves[i]);
  }
  if (!stage(structure, some, workers)) {
    return false;
  }
  some.clear();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (i % kSpread != 0) {
      some.push_back(leaves[i]);
    }
    if (some.size() == kLeafBatch || i + 1 == leaves.size()) {
      if (!stage_at_once(structure, some, workers)) {
        return false;
      }
      some.clear();
    }
  }
  return true;
}

bool StoredTrees::stage_at_once(std::uint8_t structure, std::span<const NewLeaf> leaves, Workers& workers) {
  const StagedPages pages(*this);
  TreeUpdate update(pages, nodes_, next_page_);
  Tree& tree = staged_[structure_index(structure)];
  if (!update.run(tree, leaves, workers, tree)) {
    return false;
  }
  for (const PageId id : update.superseded()) {
    const auto pending = pending_.find(id);
    if (pending != pending_.end()) {
      pending_bytes_ -= pending->second.octets.size();
      pending_.erase(pending);
    } else {
      (id < first_staged_ ? superseded_ : dropped_).push_back(id);
    }
  }
  for (TreeUpdate::NewPage& page : update.created()) {
    pending_bytes_ += page.octets.size();
    const PageId id = page.id;
    pending_.emplace(id, std::move(page));
  }
  if (pending_bytes_ > kMaxPending) {
    write_ahead();
  }
  return true;
}

void StoredTrees::write_ahead() {
  const auto transaction = store_->begin();
  put_pages(*transaction);
  transaction->commit();
  pending_.clear();
  pending_bytes_ = 0;
  dropped_.clear();
}

void StoredTrees::put_pages(NodeStore::Transaction& transaction) const {
  std::vector<const TreeUpdate::NewPage*> pages;
  pages.reserve(pending_.size());
  for (const auto& [id, page] : pending_) {
    pages.push_back(&page);
  }
  // The pages are written in the order of their ids, which is the order of the table.
  std::ranges::sort(pages, {}, &TreeUpdate::NewPage::id);
  for (const TreeUpdate::NewPage* page : pages) {
    transaction.put(Table::kPages, StoreKey(page->id), page->octets);
  }
  for (const PageId id : dropped_) {
    transaction.remove(Table::kPages, StoreKey(id));
  }
}

void StoredTrees::put_keys_ahead(std::span<const Key> keys) {
  const auto transaction = store_->begin();
  for (const Key& key : keys) {
    if (!transaction->insert(Table::kKeys, StoreKey(ByteSpan(key.tag)), encode_offset(key.log_offset))) {
      data_error("two keys have one tag");
    }
  }
  transaction->commit();
}

// Removes the pages that `oldest` and earlier epochs superseded. `oldest` is the oldest epoch that a reader may use.
void StoredTrees::remove_garbage(NodeStore::Transaction& transaction, std::uint64_t oldest) const {
  store_->scan(Table::kGarbage, garbage_key(0, 0), [&](ByteSpan key, ByteSpan ids) {
    if (base::load_be64(key.data()) > oldest) {
      return false;
    }
    for (std::size_t at = 0; at + 8 <= ids.size(); at += 8) {
      transaction.remove(Table::kPages, StoreKey(base::load_be64(ids.data() + at)));
    }
    transaction.remove(Table::kGarbage, StoreKey(key));
    return true;
  });
}

void StoredTrees::commit(std::uint64_t epoch, const LeafLog& log, Workers& /*workers*/) {
  log.sync();
  commit(epoch, {log.identity(), log.size()}, staged_keys_, oldest_);
}

void StoredTrees::commit(std::uint64_t epoch, const LogState& log, std::vector<Key> keys, std::uint64_t oldest) {
  StoreState next = state_;
  if (starts_period_) {
    next.owner.period_first_epoch = epoch;
  }
  next.epoch = epoch;
  next.trees = staged_;
  next.next_page = next_page_;
  next.log = log;
  cache_successors();
  const auto transaction = store_->begin();
  remove_abandoned(*transaction, first_staged_);
  remove_garbage(*transaction, oldest);
  put_pages(*transaction);
  // The keys are written in the order of the table, because neighbours in this order are on the same page of the file.
  std::ranges::sort(keys, {}, &Key::tag);
  for (const Key& key : keys) {
    transaction->put(Table::kKeys, StoreKey(ByteSpan(key.tag)), encode_offset(key.log_offset));
  }
  std::vector<std::uint8_t> row;
  for (std::size_t first = 0; first < superseded_.size(); first += kIdsPerRow) {
    const std::size_t n = std::min(kIdsPerRow, superseded_.size() - first);
    row.resize(8 * n);
    for (std::size_t i = 0; i < n; ++i) {
      base::store_be64(row.data() + 8 * i, superseded_[first + i]);
    }
    transaction->put(Table::kGarbage, garbage_key(epoch, first), row);
  }
  transaction->put(Table::kState, state_key(), encode(next));
  transaction->commit();
  state_ = next;
  first_staged_ = next_page_;
  pending_.clear();
  pending_bytes_ = 0;
  superseded_.clear();
  dropped_.clear();
  staged_keys_.clear();
  starts_period_ = false;
}

// Caches the new version of each page that is in the cache. Each epoch changes many of the upper pages, and all readers
// need these pages.
void StoredTrees::cache_successors() {
  for (const auto& [id, made] : pending_) {
    Page page;
    if (made.replaces != kNoPage && cache_.holds(made.replaces) && Page::parse(id, made.octets, page)) {
      cache_.put(id, page);
    }
  }
}

// Pages of the discarded epoch that were already written stay in the store until the next commit removes them.
void StoredTrees::discard() noexcept {
  staged_ = state_.trees;
  first_staged_ = next_page_;
  pending_.clear();
  pending_bytes_ = 0;
  superseded_.clear();
  dropped_.clear();
  staged_keys_.clear();
  starts_period_ = false;
}

void StoredTrees::check(const LeafLog& /*log*/, bool /*reuses_usernames*/, Workers& /*workers*/) const {
  throw DirectoryError(OPTIKS_E_STATE, "a directory in stored mode is checked as it is restored");
}

}  // namespace optiks::ozks
