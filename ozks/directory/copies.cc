// Implements the calls of a directory whose period has not begun (docs/spec/periods.md section 2). Before the switch,
// such a directory takes rows with copies of the keys' latest versions in the previous period. The period begins when
// its first epoch is committed.
#include <algorithm>
#include <array>
#include <vector>

#include "directory/directory.h"
#include "directory/new_leaves.h"
#include "directory/row_filler.h"
#include "leaves/leaf_rows.h"

namespace optiks::ozks {
namespace {

void require_not_begun(const DirectoryData& data) {
  if (data.has_begun()) {
    throw DirectoryError(OPTIKS_E_STATE, "copies are made for a period that has not begun");
  }
}

// Returns the last row of each key, and keeps the order of the rows. Throws DirectoryError if two rows of one key
// differ in label or structure.
std::vector<LeafRow> last_rows(std::span<const LeafRow> rows) {
  std::vector<Tag> tags(rows.size());
  std::ranges::transform(rows, tags.begin(), &LeafRow::tag);
  const std::vector<std::uint32_t> earlier = earlier_of_same_tag(tags);
  std::vector<bool> is_superseded(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (earlier[i] == kNoRow) {
      continue;
    }
    const LeafRow& before = rows[earlier[i]];
    if (before.structure() != rows[i].structure() || before.label != rows[i].label) {
      data_error("copies of one key have different labels");
    }
    is_superseded[earlier[i]] = true;
  }
  std::vector<LeafRow> out;
  out.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_superseded[i]) {
      out.push_back(rows[i]);
    }
  }
  return out;
}

// Returns the log offset of the record of the leaf with the row's label; kNoLogOffset if the label is not in the tree.
std::uint64_t record_of_label(const DirectoryData& data, const LeafRow& row, Paths& paths) {
  const ByteSpan label(row.label);
  data.trees->walk_many(data.trees->staged()[structure_index(row.structure())], {&label, 1}, paths);
  const Path& path = paths.paths[0];
  return path.leaf != nullptr && path.common == verify::kLabelBits ? path.log_offset : kNoLogOffset;
}

// The changes that rows of copies make to the trees.
struct Changes {
  std::vector<LeafRow> copies;          // the copies as leaves of the period
  std::vector<std::uint64_t> replaced;  // for each copy: log offset of the key's previous copy, or kNoLogOffset
  std::array<std::vector<NewLeaf>, kNumStructures> dropped;  // removals for TreeEditor::edit
  std::vector<std::uint64_t> unused;                         // log offsets of records that no leaf refers to any more
};

// Computes the changes that the rows make. Throws DirectoryError if the key's previous copy has another label than the
// row, or if the row's label belongs to another key.
Changes changes_of(const DirectoryData& data, std::vector<LeafRow> rows) {
  Changes out;
  out.copies.reserve(rows.size());
  out.replaced.reserve(rows.size());
  LeafRecord record;
  Paths paths;
  for (LeafRow& row : rows) {
    const Tag tag = row.tag;
    const std::uint64_t before = data.trees->find_newest(data.log, tag, record);
    const bool is_drop = row.version == kNoCopy;
    // This check skips a key's first copy, because adding its leaf fails if the label is already in the tree.
    if ((is_drop || before != kNoLogOffset) && record_of_label(data, row, paths) != before) {
      data_error("a key's copy before has another label, or the label is another key's");
    }
    if (before != kNoLogOffset) {
      out.unused.push_back(before);
    }
    if (!is_drop) {
      row.version = kCopyVersion;
      out.copies.push_back(row);
      out.replaced.push_back(before);
    } else if (before != kNoLogOffset) {
      const NewLeaf gone{row.label, {}, kNoLogOffset, tag, before};
      out.dropped[structure_index(row.structure())].push_back(gone);
    }
  }
  return out;
}

}  // namespace

void Directory::prepare_copies(const std::uint8_t* structures, const ByteStrings& keys, const std::uint64_t* versions,
                               const ByteStrings& values, LeafRow* out_rows) const {
  require_not_begun(*data_);
  const RowInputs inputs{structures, keys, values};
  check_inputs(*data_, inputs);
  for (std::size_t i = 0; i < keys.size; ++i) {
    if (!verify::is_per_period(structures[i]) || versions[i] > kMaxVersion ||
        (versions[i] == kNoCopy && !values[i].empty())) {
      throw DirectoryError(
          OPTIKS_E_ARGUMENT,
          "a copy is of a structure without periods, or of too large a version, or a key that is taken "
          "out has a value");
    }
  }
  std::vector<LeafRow> out(keys.size);
  std::vector<Tag> tags(keys.size);
  fill_rows(*data_, inputs, workers_, out, tags, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      out[i].version = versions[i];
      out[i].epoch = kCopyEpoch;
      if (versions[i] == kNoCopy) {
        out[i].opening = {};
        out[i].commitment = {};
        out[i].value_offset = LeafRow::kNoValue;
      }
    }
  });
  LabelBatch labels;
  for (std::size_t i = 0; i < keys.size; ++i) {
    labels.add(structures[i], keys[i], kCopyVersion, out[i].label.data());
  }
  labels.evaluate(data_->secrets, workers_);
  sort_rows(out, out_rows);
}

void Directory::load_copies(std::span<const LeafRow> rows, ByteSpan values) {
  require_not_begun(*data_);
  if (staged_.has_value()) {
    throw DirectoryError(OPTIKS_E_STATE, "copies are loaded while no epoch is staged");
  }
  check_copies(rows);
  check_places(rows, values, data_->max_value_len, data_->kept_values);
  check_commitments(rows, values, data_->kept_values);
  if (TreeEditor* const editor = data_->trees->editor()) {
    edit_copies(*editor, last_rows(rows), values);
  } else {
    add_copies(last_rows(rows), values);
  }
}

// Adds the copies to the rows that end_copies() will put into the trees together. Only end_copies() finds
// contradictions to rows of earlier calls.
void Directory::add_copies(std::vector<LeafRow> rows, ByteSpan values) {
  if (copies_ == nullptr) {
    copies_ = data_->trees->begin_copies();
    if (copies_ == nullptr) {
      throw DirectoryError(OPTIKS_E_STATE, "the copies are complete");
    }
  }
  const auto removals =
      std::partition(rows.begin(), rows.end(), [](const LeafRow& row) { return row.version != kNoCopy; });
  const std::span copies(rows.begin(), removals);
  for (LeafRow& row : copies) {
    row.version = kCopyVersion;
  }
  const std::uint64_t log_size = data_->log.size();
  NewLeaves leaves;
  try {
    leaves = make_leaves(*data_, copies, values, workers_, Links::kLater);
  } catch (...) {
    data_->log.truncate(log_size);
    throw;
  }
  std::array<std::size_t, kNumStructures> next{};
  for (const LeafRow& row : copies) {
    const std::size_t s = structure_index(row.structure());
    copies_->add(row.structure(), leaves[s][next[s]++]);
  }
  for (const LeafRow& row : std::span(removals, rows.end())) {
    copies_->remove(row.structure(), row.label, row.tag, log_size);
  }
}

// Puts the copies into the trees, and commits the trees. The directory stays at its epoch.
void Directory::end_copies() {
  if (staged_.has_value()) {
    throw DirectoryError(OPTIKS_E_STATE, "the copies end while no epoch is staged");
  }
  begin(data_->epochs.current().epoch);
  const std::unique_ptr<BulkCopies> copies = std::move(copies_);
  try {
    copies->build(data_->log, workers_);
    commit_trees();
  } catch (...) {
    discard();
    throw;
  }
  publish();
}

// Makes all checks of the rows before the first change. After these checks the call can fail only if the disk fails
// while records are erased.
void Directory::edit_copies(TreeEditor& editor, std::vector<LeafRow> rows, ByteSpan values) {
  Changes changes = changes_of(*data_, std::move(rows));
  begin(data_->epochs.current().epoch);
  try {
    NewLeaves leaves = make_leaves(*data_, changes.copies, values, workers_, Links::kLater);
    std::array<std::size_t, kNumStructures> next{};
    for (std::size_t i = 0; i < changes.copies.size(); ++i) {
      const std::size_t s = structure_index(changes.copies[i].structure());
      leaves[s][next[s]++].replaces = changes.replaced[i];
    }
    std::array<std::span<NewLeaf>, kNumStructures> replacing;
    for (const std::uint8_t structure : kStructures) {
      std::vector<NewLeaf>& of = leaves[structure_index(structure)];
      // The sort puts leaves of new keys first. std::stable_partition() would allocate a buffer, and no test could make
      // this allocation fail.
      const auto is_known = [](const NewLeaf& leaf) { return leaf.replaces != kNoLogOffset; };
      std::ranges::sort(of, [&](const NewLeaf& a, const NewLeaf& b) {
        return is_known(a) != is_known(b) ? is_known(b) : a.label < b.label;
      });
      const auto known = std::find_if(of.begin(), of.end(), is_known);
      replacing[structure_index(structure)] = {known, of.end()};
      if (!data_->trees->stage(structure, {of.begin(), known}, workers_, nullptr)) {
        throw DirectoryError(OPTIKS_E_DUPLICATE, "a label is in the tree already");
      }
    }
    commit_trees();
    for (const std::uint8_t structure : kStructures) {
      editor.edit(structure, replacing[structure_index(structure)]);
      editor.edit(structure, changes.dropped[structure_index(structure)]);
    }
  } catch (...) {
    discard();
    throw;
  }
  publish();
  // All lookups of the period begin when the period begins. So that these lookups need not wait for memory, each call
  // that loads copies touches a part of the cache's memory in advance.
  data_->cache.touch_some();
  if (!changes.unused.empty()) {
    data_->log.erase(changes.unused);
  }
}

void Directory::start_period(std::uint64_t epoch, std::span<const LeafRow> rows, ByteSpan values, bool with_proofs) {
  require_not_begun(*data_);
  check_know_no_periods(rows);
  if (copies_ != nullptr) {
    end_copies();
  }
  stage_next(epoch, rows, values, with_proofs);
  data_->trees->start_period();
  staged_->starts_period = true;
}

}  // namespace optiks::ozks
