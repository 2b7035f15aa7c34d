// The oZKS tree of docs/spec/tree.md in stored mode: its nodes are in pages (page.h), its pages in a node store. The
// same trees and walks as linked mode's (linked/nodes.h), for a machine whose memory is smaller than the tree.
//
// Thread safety: any number of threads read trees that were published to them; updates are tree_update.h's.
// Invariants
//  1. A page that is reachable from a published tree never changes and stays in the store; an update makes new pages
//     under new ids for all that changes, up to the root.
//  2. A node holds the hashes of both children, so a walk finds every sibling's hash on its way. A node's own hash is
//     in its parent, the root's in its tree.
//  3. A node's prefix is not stored: it is the first `length` bits of the label of any leaf below it.
#pragma once

#include <span>
#include <vector>

#include "stored/node_store.h"
#include "stored/page.h"
#include "stored/page_cache.h"
#include "trie/tree.h"

namespace optiks::ozks {

// StoredWalk: where a label leads. The pointers are into pages that the walk holds.
struct StoredWalk {
  const PageLeaf* leaf = nullptr;    // at the end of the label's bits; none in an empty tree
  std::size_t common = 0;            // bits that the label shares with that leaf; 256: it is the label's leaf
  const PageNode* opened = nullptr;  // first node on the way whose prefix is longer than `common`; none: the leaf
  std::size_t num_steps = 0;         // steps above `opened`, or above the leaf
  Step steps[verify::kLabelBits];    // without ids of nodes
  const PageNode* nodes[verify::kLabelBits];
  std::vector<Page> pages;
};

// PageReader: where pages come from.
class PageReader {
 public:
  PageReader() = default;
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;
  virtual ~PageReader() = default;
  // Reads the pages, which are all there. std::system_error when one is damaged or missing, or the store cannot be
  // read.
  virtual void read(std::span<const PageId> ids, Page* out) const = 0;
};

// CachedPages: those of a store, through the cache.
class CachedPages final : public PageReader {
 public:
  CachedPages(const NodeStore& store, PageCache& cache) : store_(store), cache_(cache) {}
  void read(std::span<const PageId> ids, Page* out) const override;
  // The same for a writer, which reads what it is about to replace: what is not cached stays so.
  void read_once(std::span<const PageId> ids, Page* out) const { read(ids, out, false); }

 private:
  void read(std::span<const PageId> ids, Page* out, bool keep) const;

  const NodeStore& store_;
  PageCache& cache_;
};

// Follows the bits of several labels from the tree's root, page by page: what they all need of a level is read at once.
void walk_stored(const PageReader& pages, const Tree& tree, std::span<const ByteSpan> labels, StoredWalk* out);

}  // namespace optiks::ozks
