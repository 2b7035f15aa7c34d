// The tree of docs/spec/tree.md in stored mode, for machines whose memory is smaller than the tree. The nodes are in
// pages (page.h), and the pages are in a node store. Trees and paths are the same as in linked mode (trie/nodes.h).
//
// Thread safety: any number of threads may read trees that were published to them. Only TreeUpdate (tree_update.h)
// makes new trees.
// Invariants
//   1. A page that is reachable from a published tree never changes and stays in the store. An update makes new pages
//      under new ids for all changes, up to the root.
//   2. A node holds the hashes of its two children, so a walk finds the hashes of all siblings in the nodes on its
//      path. A node's own hash is in its parent, and the root's hash is in the Tree object.
//   3. A node's prefix is not stored, because it equals the first `length` bits of each label below the node.
#pragma once

#include <span>
#include <vector>

#include "stored/node_store.h"
#include "stored/page.h"
#include "stored/page_cache.h"
#include "trie/path.h"

namespace optiks::ozks {

// The interface through which a walk reads pages.
class PageReader {
 public:
  PageReader() = default;
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;
  virtual ~PageReader() = default;
  // Reads the pages with these ids. All of them must exist. Throws std::system_error if a page is damaged or missing,
  // or the store cannot be read.
  virtual void read(std::span<const PageId> ids, Page* out) const = 0;
};

// Reads pages from the cache or, if they are not cached, from the store.
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

// Throws the error for a node whose prefix is not longer than the prefix of the node above it. Page::parse() checks
// this within a page; only a walk can check it from one page to the next.
[[noreturn]] void throw_misplaced_page();

// Walks the paths of the labels from the tree's root, page by page. The pages of one level are read in one batch. The
// paths keep the pages alive.
void walk_stored(const PageReader& pages, const Tree& tree, std::span<const ByteSpan> labels, Paths& out);

}  // namespace optiks::ozks
