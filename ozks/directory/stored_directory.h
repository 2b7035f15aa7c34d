// StoredDirectory: a directory in stored mode: its trees and its key table are in a node store on disk, with a bounded
// cache of pages in memory. Its answers are those of linked mode, octet for octet. It goes on where it was committed
// last, without the database's history. It makes no append-only proofs, which are the update-task's.
//
// Thread safety: as Directory's.
// Invariant: what the node store names of the leaf log was on the disk before the store's transaction.
#pragma once

#include <memory>
#include <unordered_map>

#include "directory/directory.h"

namespace optiks::ozks {

class StoredDirectory final : public Directory {
 public:
  // Opens the store at options.node_store_path and the leaf log that belongs to it, or makes both. std::system_error
  // when one is damaged, of another owner, in use, or cannot be opened. `log`: what a new store is to be about, instead
  // of an empty leaf log; DirectoryError (OPTIKS_E_STATE) when the store has an epoch already.
  [[nodiscard]] static std::unique_ptr<StoredDirectory> open(Secrets&& secrets, const optiks_dir_options_t& options,
                                                             const LogState* log = nullptr);
  ~StoredDirectory() override;

  void load(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves, ByteSpan values) override;
  void stage(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves, ByteSpan values, bool with_proofs) override;
  [[nodiscard]] const std::array<Tree, kNumStructures>& staged_trees() const override { return trees().staged(); }
  [[nodiscard]] ByteSpan staged_proofs() const override { return {}; }
  void commit() override;
  void discard() noexcept override;

 private:
  // A key's newest leaf.
  struct Newest {
    std::uint64_t place;
    LeafFacts facts;
  };
  struct Staged {
    std::uint64_t epoch = 0;
    std::uint64_t log_size = 0;  // before this epoch
    std::array<std::vector<StoredLeaf>, kNumStructures> leaves;
    std::unordered_map<Tag, Newest, TagHash> keys;
  };

  StoredDirectory(Secrets&& secrets, const optiks_dir_options_t& options, std::unique_ptr<StoredTrees> trees,
                  const LogState* kept);

  [[nodiscard]] StoredTrees& trees() const { return *store()->stored; }
  void begin(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves);
  void add_leaves(std::span<const optiks_leaf_t> leaves, ByteSpan values);
  [[nodiscard]] bool find_newest(const Tag& tag, Newest& out) const;
  void build_trees(const char* duplicate);

  std::unique_ptr<Staged> staged_;
};

}  // namespace optiks::ozks
