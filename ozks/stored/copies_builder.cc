#include "stored/copies_builder.h"

#include <algorithm>
#include <tuple>

#include "leaves/directory_error.h"
#include "leaves/leaf_rows.h"
#include "stored/store_builder.h"

namespace optiks::ozks {
namespace {

// The maximum memory of the sort of rows.
constexpr std::size_t kRowMemory = std::size_t{16} << 20;
// The number of records that one call erases. It is large, because each call waits for the disk.
constexpr std::size_t kEraseBatch = 4096;

}  // namespace

CopiesBuilder::CopiesBuilder(StoredTrees& trees) : trees_(trees), rows_(trees.folder(), kRowMemory) {}

bool CopiesBuilder::is_label_before(const Row& a, const Row& b) {
  return std::tie(a.structure, a.label) < std::tie(b.structure, b.label);
}

bool CopiesBuilder::Row::operator<(const Row& other) const {
  return std::tie(structure, label, log_offset, is_copy) <
         std::tie(other.structure, other.label, other.log_offset, other.is_copy);
}

void CopiesBuilder::add(std::uint8_t structure, const NewLeaf& leaf) {
  rows_.add({leaf.label, leaf.hash, leaf.tag, leaf.log_offset, structure, true});
}

void CopiesBuilder::remove(std::uint8_t structure, const Hash& label, const Tag& tag, std::uint64_t log_size) {
  rows_.add({label, {}, tag, log_size, structure, false});
}

void CopiesBuilder::find(std::uint8_t structure, ByteSpan label, std::vector<std::uint64_t>& out) const {
  Row like{};
  like.structure = structure;
  std::ranges::copy(label, like.label.begin());
  rows_.find(like, is_label_before, [&](const Row& row) {
    if (row.is_copy) {
      out.push_back(row.log_offset);
    }
  });
}

void CopiesBuilder::build(LeafLog& log, Workers& workers) {
  // Only usernames depend on whether the log reassigns usernames, and copies are never usernames.
  StoreBuilder builder(trees_, false);
  std::vector<std::uint64_t> unused;
  unused.reserve(kEraseBatch);
  const auto erase_unused = [&] {
    log.erase(unused);
    unused.clear();
  };
  rows_.sort();
  Row row{};
  for (bool is_more = rows_.next(row); is_more;) {
    Row last = row;
    while ((is_more = rows_.next(row)) && !is_label_before(last, row)) {
      if (row.tag != last.tag) {
        data_error("copies of two keys have one label");
      }
      if (last.is_copy) {
        unused.push_back(last.log_offset);
        if (unused.size() == kEraseBatch) {
          erase_unused();
        }
      }
      last = row;
    }
    if (last.is_copy) {
      LeafFacts facts;
      facts.tag = last.tag;
      facts.version = kCopyVersion;
      NewLeaf leaf{};
      leaf.label = last.label;
      leaf.hash = last.hash;
      leaf.log_offset = last.log_offset;
      builder.add(last.structure, leaf, facts);
    }
  }
  if (!unused.empty()) {
    erase_unused();
  }
  builder.build(log, workers);
}

}  // namespace optiks::ozks
