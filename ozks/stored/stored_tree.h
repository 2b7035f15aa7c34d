// The tree of docs/spec/tree.md in stored mode: its nodes are in pages (page.h), its pages in a node store. It has the
// same trees and paths as linked mode (trie/nodes.h), for a machine whose memory is smaller than the tree.
//
// Thread safety: any number of threads read trees that were published to them; tree_update.h makes updates.
// Invariants
//   1. A page that is reachable from a published tree never changes and stays in the store. An update makes new pages
//      under new ids for all changes, up to the root.
//   2. A node holds the hashes of both children, so a walk finds every sibling's hash on its path. A node's own hash is
//      in its parent, and the root's hash in its tree.
//   3. A node's prefix is not stored: it is the first `length` bits of the label of any leaf below it.
#pragma once

#include <span>
#include <vector>

#include "stored/node_store.h"
#include "stored/page.h"
#include "stored/page_cache.h"
#include "trie/path.h"

namespace optiks::ozks {

// The source of pages.
class PageReader {
 public:
  PageReader() = default;
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;
  virtual ~PageReader() = default;
  // Reads the pages, which must all exist. Throws std::system_error if a page is damaged or missing, or the store
  // cannot be read.
  virtual void read(std::span<const PageId> ids, Page* out) const = 0;
};

// The pages of a store, read through the cache.
class CachedPages final : public PageReader {
 public:
  CachedPages(const NodeStore& store, PageCache& cache) : store_(store), cache_(cache) {}
  void read(std::span<const PageId> ids, Page* out) const override;
  // Reads pages as read() does, without adding them to the cache. The writer reads pages in this way because it is
  // about to replace them.
  void read_once(std::span<const PageId> ids, Page* out) const { read(ids, out, false); }

 private:
  void read(std::span<const PageId> ids, Page* out, bool keep) const;

  const NodeStore& store_;
  PageCache& cache_;
};

// Throws the error for prefixes that do not get longer on the way down. parse() checks the prefixes within a page; only
// the walk can check them from one page to the next.
[[noreturn]] void throw_misplaced_page();

// Follows the labels' bits from the tree's root, page by page: the pages of one level are read in one batch. The paths
// hold the pages.
void walk_stored(const PageReader& pages, const Tree& tree, std::span<const ByteSpan> labels, Paths& out);

}  // namespace optiks::ozks
