// Writes the trees and the keys of a snapshot from the node store. A key table element has the number of the key's
// leaf, but the store has only the log offset of the leaf's record. Both may be more than fit into memory, so the
// leaves and the keys are sorted by log offset on disk, merged, and the keys are sorted back into the order of their
// tags.
#include <cerrno>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "leaves/directory_error.h"
#include "stored/external_sort.h"
#include "stored/stored_trees.h"
#include "trie/snapshot_elements.h"

namespace optiks::ozks {
namespace {

// The maximum memory of each ExternalSort object. It is small because a replica saves snapshots while it answers.
constexpr std::size_t kSaveSortMemory = std::size_t{4} << 20;
// The number of keys that one transaction reads. While a transaction is open, the store cannot use the room of pages
// that were removed after its beginning, so the file would grow.
constexpr std::size_t kKeysPerRead = 4096;

[[noreturn]] void throw_damaged() {
  throw std::system_error(EBADMSG, std::generic_category(), "the trees and the keys of the node store do not match");
}

class Saver {
 public:
  Saver(const CachedPages& pages, const NodeStore& store, const LeafLog& log, std::uint64_t epoch,
        const TreeStore::PutElement& put)
      : pages_(pages),
        store_(store),
        log_(log),
        epoch_(epoch),
        out_(put),
        leaves_(store.folder(), kSaveSortMemory),
        keys_(store.folder(), kSaveSortMemory),
        numbered_(store.folder(), kSaveSortMemory),
        moved_(store.folder(), kSaveSortMemory) {}

  void run(const Trees& trees) {
    for (const Tree& tree : trees) {
      if (tree.count >= kNoLeafNumber - num_leaves_) {
        throw DirectoryError(OPTIKS_E_STATE, "a snapshot has fewer than 2^32 - 1 leaves");
      }
      if (tree.count != 0) {
        write_tree(tree);
      }
    }
    read_keys();
    match();
    write_keys();
  }

 private:
  struct LeafByLogOffset {
    std::uint64_t log_offset;
    std::uint32_t number;

    bool operator<(const LeafByLogOffset& other) const { return log_offset < other.log_offset; }
  };
  struct KeyByLogOffset {
    std::uint64_t log_offset;
    std::uint32_t bits;
    std::uint8_t segment;

    bool operator<(const KeyByLogOffset& other) const { return log_offset < other.log_offset; }
  };
  struct KeyByAddress {
    std::uint8_t segment;
    std::uint32_t bits;
    std::uint32_t leaf;

    bool operator<(const KeyByAddress& other) const {
      return std::tie(segment, bits, leaf) < std::tie(other.segment, other.bits, other.leaf);
    }
  };
  struct MovedByAddress {
    MovedKey key;

    bool operator<(const MovedByAddress& other) const {
      return std::tie(key.segment, key.bits, key.log_offset) <
             std::tie(other.key.segment, other.key.bits, other.key.log_offset);
    }
  };

  // A subtree that was not written yet.
  struct Ahead {
    Page page;  // the page that has the code `top`
    ChildCode top;
    int above;  // prefix length of the node above; -1 at the root
  };

  // Writes the nodes of the tree in preorder. The list of subtrees ahead has at most one entry for each level of the
  // tree, so only few pages are in memory.
  void write_tree(const Tree& tree) {
    const std::uint32_t end = num_leaves_ + static_cast<std::uint32_t>(tree.count);
    std::vector<Ahead> ahead = {enter(tree.root, -1)};
    while (!ahead.empty()) {
      Ahead at = std::move(ahead.back());
      ahead.pop_back();
      if (kind_of(at.top) == ChildKind::kPage) {
        at = enter(at.page.ref(index_of(at.top)), at.above);
        // Only the page of a tree with one leaf consists of a leaf. Below a node such a page would contradict the flag
        // that was written for it.
        if (kind_of(at.top) == ChildKind::kLeaf) {
          throw_misplaced_page();
        }
      }
      if (kind_of(at.top) == ChildKind::kLeaf) {
        write_leaf(at.page.leaf(index_of(at.top)), end);
        continue;
      }
      const PageNode& node = at.page.node(index_of(at.top));
      if (node.length <= at.above) {
        throw_misplaced_page();
      }
      const auto is_leaf = [&](std::size_t side) { return kind_of(node.child[side]) == ChildKind::kLeaf; };
      out_.put_interior(static_cast<std::uint8_t>((is_leaf(0) ? kLeftIsLeaf : 0) | (is_leaf(1) ? kRightIsLeaf : 0)),
                        node.length, node.hash);
      ahead.push_back({at.page, node.child[1], node.length});
      ahead.push_back({at.page, node.child[0], node.length});
    }
    if (num_leaves_ != end) {
      throw_damaged();
    }
  }

  // Reads a page, and returns the subtree at its top. The page is not cached, because a snapshot reads every page once.
  [[nodiscard]] Ahead enter(PageId id, int above) const {
    Ahead out{{}, 0, above};
    pages_.read_once({&id, 1}, &out.page);
    out.top = out.page.top();
    return out;
  }

  void write_leaf(const PageLeaf& leaf, std::uint32_t end) {
    if (num_leaves_ == end) {
      throw_damaged();
    }
    const std::uint64_t log_offset = base::load_be64(leaf.log_offset.data());
    Leaf node{};
    node.set_log_offset(log_offset);
    out_.put_leaf(leaf.label, node.offset);
    leaves_.add({log_offset, num_leaves_++});
  }

  // Reads the store's keys as they are now, which may be newer than the snapshot's epoch. Keys are never removed, so a
  // key that the epoch has is read although epochs are committed meanwhile.
  void read_keys() {
    StoreKey first(std::uint64_t{0});
    for (bool is_more = true; is_more;) {
      is_more = false;
      std::size_t num_read = 0;
      store_.scan(Table::kKeys, first, [&](ByteSpan key, ByteSpan value) {
        if (num_read == kKeysPerRead) {
          first = StoreKey(key);
          is_more = true;
          return false;
        }
        ++num_read;
        Tag tag;
        if (key.size() != tag.size() || value.size() != 8) {
          throw_damaged();
        }
        std::ranges::copy(key, tag.begin());
        const KeyAddress address(tag);
        keys_.add({base::load_be64(value.data()), address.bits, address.segment});
        return true;
      });
    }
  }

  // Finds the number of each key's leaf. If a key's newest leaf is not in the trees, the key got it after the
  // snapshot's epoch, and the key's earlier leaf is found in the leaf log.
  void match() {
    leaves_.sort();
    keys_.sort();
    LeafByLogOffset leaf{};
    bool is_leaf = leaves_.next(leaf);
    for (KeyByLogOffset key{}; keys_.next(key);) {
      while (is_leaf && leaf.log_offset < key.log_offset) {
        is_leaf = leaves_.next(leaf);
      }
      if (is_leaf && leaf.log_offset == key.log_offset) {
        numbered_.add({key.segment, key.bits, leaf.number});
        continue;
      }
      const std::uint64_t log_offset = log_.latest_at(key.log_offset, epoch_);
      if (log_offset == key.log_offset) {
        throw_damaged();
      }
      if (log_offset != kNoLogOffset) {
        moved_.add({{log_offset, key.bits, key.segment}});
      }
    }
    while (is_leaf) {
      is_leaf = leaves_.next(leaf);
    }
  }

  void write_keys() {
    numbered_.sort();
    KeyByAddress key{};
    bool is_key = numbered_.next(key);
    for (std::size_t segment = 0; segment < kKeySegments; ++segment) {
      for (; is_key && key.segment == segment; is_key = numbered_.next(key)) {
        out_.put_key(key.bits, key.leaf);
      }
      out_.end_segment();
    }
    moved_.sort();
    for (MovedByAddress moved{}; moved_.next(moved);) {
      out_.put_moved(moved.key);
    }
    out_.end();
  }

  const CachedPages& pages_;
  const NodeStore& store_;
  const LeafLog& log_;
  std::uint64_t epoch_;
  ElementWriter out_;
  std::uint32_t num_leaves_ = 0;
  ExternalSort<LeafByLogOffset> leaves_;
  ExternalSort<KeyByLogOffset> keys_;
  ExternalSort<KeyByAddress> numbered_;
  ExternalSort<MovedByAddress> moved_;
};

}  // namespace

void StoredTrees::save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const {
  Saver(cached_, *store_, log, epoch, put).run(trees);
}

}  // namespace optiks::ozks
