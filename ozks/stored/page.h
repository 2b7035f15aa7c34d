// Page: a connected part of a stored tree, in the form in which the node store keeps it. A page has at most four
// kilobytes. Readers walk the stored octets without decoding them. docs/stored-mode.md defines the format.
//
// Thread safety: a page never changes, so any number of threads may read it. Copies of a Page object share the octets.
// Invariants, of every page that parse() accepted
//   1. A child's code names a part of the same page: a leaf, the id of a page, or a node. A child node comes after its
//      parent and has a longer prefix. So every walk within a page ends, whatever the octets are.
//   2. The checksum covers the page's id, so it also detects octets of another page.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {

using base::ByteSpan;
using verify::Hash;

// A page's id. A process never uses an id of a store twice, so a cached page under an id is never out of date.
using PageId = std::uint64_t;
inline constexpr PageId kNoPage = 0;

// Names a child of a node within the node's page. The two upper bits are the kind of the child, and the other bits are
// its index among the page's parts of this kind.
using ChildCode = std::uint8_t;
enum class ChildKind : std::uint8_t { kNode = 0, kLeaf = 1, kPage = 2 };
[[nodiscard]] constexpr ChildKind kind_of(ChildCode code) { return static_cast<ChildKind>(code >> 6); }
[[nodiscard]] constexpr std::size_t index_of(ChildCode code) { return code & 63U; }
[[nodiscard]] constexpr ChildCode child_code(ChildKind kind, std::size_t index) {
  return static_cast<ChildCode>(static_cast<unsigned>(kind) << 6 | static_cast<unsigned>(index));
}

// The parts of a page, in the layout in which they are stored.
struct PageNode {
  std::uint8_t length;  // length of the node's prefix
  ChildCode child[2];
  Hash hash[2];  // hashes of the children
};
struct PageLeaf {
  Hash label;
  std::array<std::uint8_t, 8> log_offset;  // offset of the leaf's record in the leaf log, big-endian
};
using PageRef = std::array<std::uint8_t, 8>;  // big-endian PageId
static_assert(sizeof(PageNode) == 67 && alignof(PageNode) == 1);
static_assert(sizeof(PageLeaf) == 40 && alignof(PageLeaf) == 1);
static_assert(sizeof(PageRef) == 8 && alignof(PageRef) == 1);

inline constexpr std::size_t kPageChecksumLen = 4;
inline constexpr std::size_t kPageHeaderLen = kPageChecksumLen + 4;
// The maximum length of a page. With LMDB's header of 16 octets it fills one page of the file system. The limit also
// makes sure that an index of 6 bits can name all parts of a page.
inline constexpr std::size_t kMaxPageLen = 4080;
static_assert((kMaxPageLen - kPageHeaderLen) / (sizeof(PageNode) + sizeof(PageRef)) + 1 <= 64);

class Page {
 public:
  Page() = default;

  // Makes a page from a copy of `octets`, which the store has under `id`. Returns false if the octets are damaged.
  [[nodiscard]] static bool parse(PageId id, ByteSpan octets, Page& out);

  // Returns an object that keeps the page's octets alive as long as the object exists.
  [[nodiscard]] std::shared_ptr<const void> holder() const { return octets_; }
  [[nodiscard]] explicit operator bool() const { return octets_ != nullptr; }
  [[nodiscard]] ByteSpan octets() const { return {octets_.get(), len_}; }
  [[nodiscard]] ChildCode top() const { return octets_[kPageChecksumLen]; }
  [[nodiscard]] std::size_t num_nodes() const { return octets_[kPageChecksumLen + 1]; }
  [[nodiscard]] std::size_t num_leaves() const { return octets_[kPageChecksumLen + 2]; }
  [[nodiscard]] std::size_t num_refs() const { return octets_[kPageChecksumLen + 3]; }

  [[nodiscard]] const PageNode& node(std::size_t i) const { return parts<PageNode>(kPageHeaderLen)[i]; }
  [[nodiscard]] const PageLeaf& leaf(std::size_t i) const {
    return parts<PageLeaf>(kPageHeaderLen + num_nodes() * sizeof(PageNode))[i];
  }
  [[nodiscard]] PageId ref(std::size_t i) const {
    const std::size_t at = kPageHeaderLen + num_nodes() * sizeof(PageNode) + num_leaves() * sizeof(PageLeaf);
    return base::load_be64(octets_.get() + at + i * sizeof(PageRef));
  }

 private:
  // Returns the parts of one kind, which begin at `at`. The types of parts consist of octets only, so any position in
  // the page has the alignment that they need.
  template <typename Part>
  [[nodiscard]] const Part* parts(std::size_t at) const {
    return std::launder(reinterpret_cast<const Part*>(octets_.get() + at));
  }
  [[nodiscard]] bool is_sound() const;

  std::shared_ptr<const std::uint8_t[]> octets_;
  std::size_t len_ = 0;
};

// Returns the checksum of the id and of the page's octets. It leaves out the first 4 octets, which hold the stored
// checksum as a big-endian integer.
[[nodiscard]] std::uint32_t page_checksum(PageId id, ByteSpan octets);

}  // namespace optiks::ozks
