#include "stored/stored_tree.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "optiks/base/check.h"

namespace optiks::ozks {
namespace {

// Follows the label's bits within a page. Returns the id of the next page, or kNoPage if the walk ends at a leaf.
PageId walk_page(const Page& page, ByteSpan label, Path& path) {
  ChildCode at = page.top();
  while (kind_of(at) == ChildKind::kNode) {
    const PageNode& node = page.node(index_of(at));
    const std::size_t side = verify::bit_at(label, node.length) ? 1 : 0;
    // The lengths on a path increase, so a path has at most one node of each length. More nodes show that a page is
    // damaged.
    if (path.num_steps == path.steps.size()) {
      throw_misplaced_page();
    }
    path.steps[path.num_steps++] = {node.length, &node.hash[1 - side]};
    at = node.child[side];
  }
  if (kind_of(at) == ChildKind::kLeaf) {
    const PageLeaf& leaf = page.leaf(index_of(at));
    path.leaf = &leaf.label;
    path.log_offset = base::load_be64(leaf.log_offset.data());
    return kNoPage;
  }
  return page.ref(index_of(at));
}

}  // namespace

void CachedPages::read(std::span<const PageId> ids, Page* out) const { read(ids, out, true); }

void CachedPages::read(std::span<const PageId> ids, Page* out, bool keep) const {
  std::vector<std::size_t> missing;
  std::vector<StoreKey> keys;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    out[i] = cache_.find(ids[i]);
    if (!out[i]) {
      missing.push_back(i);
      keys.emplace_back(ids[i]);
    }
  }
  cache_.count(ids.size() - missing.size(), missing.size());
  if (missing.empty()) {
    return;
  }
  std::size_t num_read = 0;
  store_.get(Table::kPages, keys, [&](std::size_t i, ByteSpan octets) {
    num_read += Page::parse(ids[missing[i]], octets, out[missing[i]]) ? 1 : 0;
  });
  if (num_read != missing.size()) {
    throw std::system_error(EBADMSG, std::generic_category(), "a page of the node store is missing or damaged");
  }
  if (keep) {
    for (const std::size_t i : missing) {
      cache_.put(ids[i], out[i]);
    }
  }
}

void throw_misplaced_page() {
  throw std::system_error(EBADMSG, std::generic_category(), "a page of the node store is not where its id says");
}

void walk_stored(const PageReader& pages, const Tree& tree, std::span<const ByteSpan> labels, Paths& out) {
  OPTIKS_CHECK(labels.size() <= Paths::kMax);
  std::vector<PageId> at(labels.size(), tree.root);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out.paths[i].leaf = nullptr;
    out.paths[i].num_steps = 0;
  }
  out.held.clear();
  std::vector<PageId> wanted;
  std::vector<Page> read;
  for (;;) {
    wanted.clear();
    std::ranges::copy_if(at, std::back_inserter(wanted), [](PageId id) { return id != kNoPage; });
    if (wanted.empty()) {
      break;
    }
    std::ranges::sort(wanted);
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    read.resize(wanted.size());
    pages.read(wanted, read.data());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (at[i] != kNoPage) {
        const auto found = std::ranges::lower_bound(wanted, at[i]);
        const Page& page = read[static_cast<std::size_t>(found - wanted.begin())];
        at[i] = walk_page(page, labels[i], out.paths[i]);
      }
    }
    std::ranges::transform(read, std::back_inserter(out.held), &Page::holder);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out.paths[i].finish(labels[i]);
  }
}

}  // namespace optiks::ozks
