#include "directory/new_leaves.h"

#include <algorithm>
#include <memory>

#include "leaves/hash_batch.h"

namespace optiks::ozks {
namespace {

// The number of rows whose leaves one thread makes at a time. The hashes of these leaves fill the lanes of a batch
// several times.
constexpr std::size_t kMakeChunk = 64;
// The number of octets in one write call. The operating system caches octets of one call in larger pieces, which are
// faster to read.
constexpr std::size_t kWriteLen = std::size_t{1} << 20;

// Makes the leaves of rows, and writes the leaves' records to the leaf log.
class LeafMaker {
 public:
  LeafMaker(DirectoryData& data, std::span<const LeafRow> rows, ByteSpan values, Links links)
      : data_(data), rows_(rows), values_(values), links_(links), tags_(rows.size()), leaf_of_(rows.size()) {
    std::ranges::transform(rows, tags_.begin(), &LeafRow::tag);
    earlier_ = earlier_of_same_tag(tags_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (earlier_[i] != kNoRow && rows[earlier_[i]].epoch == rows[i].epoch) {
        throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one epoch");
      }
    }
  }

  [[nodiscard]] NewLeaves run(Workers& workers) {
    NewLeaves out;
    reserve(out);
    workers.for_each_index((rows_.size() + kMakeChunk - 1) / kMakeChunk,
                           [&](std::size_t i) { make(i * kMakeChunk, std::min(rows_.size(), (i + 1) * kMakeChunk)); });
    workers.for_each_index((len_ + kWriteLen - 1) / kWriteLen, [&](std::size_t i) {
      const std::size_t first = i * kWriteLen;
      data_.log.write(log_offset_ + first, {records_.get() + first, std::min(kWriteLen, len_ - first)});
    });
    // If several rows have the same key, the key table gets only the last leaf. So the last leaf replaces the leaf that
    // is in the table now.
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (earlier_[i] != kNoRow) {
        NewLeaf& before = *leaf_of_[earlier_[i]];
        leaf_of_[i]->replaces = before.replaces;
        before.is_newest = false;
      }
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_kept(const LeafRow& row) const {
    return row.has_value() && keeps(data_.kept_values, row.structure());
  }
  [[nodiscard]] ByteSpan opening_of(const LeafRow& row) const {
    return is_kept(row) ? ByteSpan(row.opening) : ByteSpan();
  }
  [[nodiscard]] ByteSpan kept_value_of(const LeafRow& row) const {
    return is_kept(row) ? value_of(row, values_) : ByteSpan();
  }

  // Assigns a position to each leaf, and a log offset to its record. One thread does this, because both depend on the
  // previous rows. The workers do all other work.
  void reserve(NewLeaves& out) {
    const std::array<std::size_t, kNumStructures> counts = count_by_structure(rows_);
    std::array<NewLeaf*, kNumStructures> next;
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      out[s].resize(counts[s]);
      next[s] = out[s].data();
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      leaf_of_[i] = next[structure_index(rows_[i].structure())]++;
      leaf_of_[i]->log_offset = len_;
      len_ += LeafLog::record_len(opening_of(rows_[i]), kept_value_of(rows_[i]));
    }
    if (len_ != 0) {
      records_ = std::make_unique_for_overwrite<std::uint8_t[]>(len_);
      log_offset_ = data_.log.reserve(len_);
      for (NewLeaf* leaf : leaf_of_) {
        leaf->log_offset += log_offset_;
      }
    }
  }

  // Makes the leaves and the records of rows [first, last).
  void make(std::size_t first, std::size_t last) const {
    check_commitments(rows_.subspan(first, last - first), values_, data_.kept_values);
    data_.trees->prefetch_newest(data_.log, std::span(tags_).subspan(first, last - first));
    HashBatch hashes;
    LeafRecord record;
    for (std::size_t i = first; i < last; ++i) {
      const LeafRow& row = rows_[i];
      NewLeaf& leaf = *leaf_of_[i];
      leaf.label = row.label;
      leaf.tag = tags_[i];
      leaf.is_newest = true;
      LeafLog::put(records_.get() + (leaf.log_offset - log_offset_), leaf.log_offset, linked_facts(i, leaf, record),
                   opening_of(row), kept_value_of(row));
      hashes.add_leaf(row.label, row.commitment, row.epoch, leaf.hash);
    }
    hashes.run();
  }

  // Returns the facts of row `i`, with the log offset of the key's previous record. Sets `leaf.replaces`. `record` is a
  // buffer that calls share.
  [[nodiscard]] LeafFacts linked_facts(std::size_t i, NewLeaf& leaf, LeafRecord& record) const {
    if (links_ == Links::kLater) {
      return facts_of(rows_[i]);
    }
    const bool has_versions = data_.has_versions(rows_[i].structure());
    if (earlier_[i] != kNoRow) {
      LeafFacts before;
      before.version = static_cast<std::uint32_t>(rows_[earlier_[i]].version);
      return next_facts(rows_[i], has_versions, &before, leaf_of_[earlier_[i]]->log_offset);
    }
    leaf.replaces = data_.trees->find_newest(data_.log, leaf.tag, record);
    return next_facts(rows_[i], has_versions, leaf.replaces == kNoLogOffset ? nullptr : &record.facts(), leaf.replaces);
  }

  DirectoryData& data_;
  std::span<const LeafRow> rows_;
  ByteSpan values_;
  Links links_;
  std::vector<Tag> tags_;
  std::vector<std::uint32_t> earlier_;  // for each row, the index of the previous row of its key, or kNoRow
  std::vector<NewLeaf*> leaf_of_;       // for each row, its leaf
  std::unique_ptr<std::uint8_t[]> records_;
  std::size_t len_ = 0;           // total length of the records
  std::uint64_t log_offset_ = 0;  // offset of the first record in the log
};

}  // namespace

NewLeaves make_leaves(DirectoryData& data, std::span<const LeafRow> rows, ByteSpan values, Workers& workers,
                      Links links) {
  check_places(rows, values, data.max_value_len, data.kept_values);
  return LeafMaker(data, rows, values, links).run(workers);
}

}  // namespace optiks::ozks
