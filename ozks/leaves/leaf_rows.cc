#include "leaves/leaf_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "leaves/directory_error.h"
#include "leaves/hash_batch.h"

namespace optiks::ozks {
namespace {

// The maximum number of a label's first bits by which sort_rows() divides rows into groups.
constexpr std::size_t kMaxGroupBits = 16;

void check_version_fits(const LeafRow& row) {
  if (row.version > kMaxVersion) {
    data_error("a leaf's version is too large");
  }
}

bool is_kept(const LeafRow& row, KeptValues kept) { return row.has_value() && keeps(kept, row.structure()); }

}  // namespace

std::uint64_t next_version(bool has_versions, const LeafFacts* latest) {
  if (has_versions) {
    return latest == nullptr ? 1 : latest->version + std::uint64_t{1};
  }
  if (latest != nullptr) {
    throw DirectoryError(OPTIKS_E_DUPLICATE, "a key of an oZKS is there already");
  }
  return 0;
}

void check_version(bool has_versions, std::uint64_t version, const LeafFacts* latest) {
  if (version != next_version(has_versions, latest)) {
    data_error("a leaf's version does not follow the one before it");
  }
}

std::array<std::size_t, kNumStructures> count_by_structure(std::span<const LeafRow> leaves) {
  std::array<std::size_t, kNumStructures> counts{};
  for (const LeafRow& row : leaves) {
    const std::uint8_t structure = row.structure();
    if (!is_structure(structure)) {
      data_error("a leaf is of no structure");
    }
    ++counts[structure_index(structure)];
  }
  return counts;
}

void check_order(std::span<const LeafRow> rows, std::uint64_t after, std::uint64_t through) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t epoch = rows[i].epoch;
    if (epoch <= after || epoch > through || (i != 0 && epoch < rows[i - 1].epoch)) {
      data_error("stored leaves are not in the order of their epochs, or of another epoch");
    }
    if (i != 0 && epoch == rows[i - 1].epoch && !before(rows[i - 1], rows[i])) {
      data_error("the leaves of an epoch are not sorted by structure and label");
    }
  }
}

void check_copies(std::span<const LeafRow> rows) {
  constexpr auto is_zero = [](std::uint8_t octet) { return octet == 0; };
  static_cast<void>(count_by_structure(rows));
  for (const LeafRow& row : rows) {
    if (!verify::is_per_period(row.structure())) {
      data_error("a copy is of a structure that knows no periods");
    }
    if (row.epoch != kCopyEpoch) {
      data_error("a copy has another leaf epoch than 0");
    }
    check_version_fits(row);
    if (row.version == kNoCopy && (row.has_value() || !std::ranges::all_of(row.commitment, is_zero) ||
                                   !std::ranges::all_of(row.opening, is_zero))) {
      data_error("a row that takes a key out has a value, an opening or a commitment");
    }
  }
}

void check_know_no_periods(std::span<const LeafRow> rows) {
  if (std::ranges::any_of(rows, [](const LeafRow& row) { return verify::is_per_period(row.structure()); })) {
    data_error("before a period begins its devices and keys are copies");
  }
}

LeafFacts facts_of(const LeafRow& row) {
  check_version_fits(row);
  LeafFacts facts;
  facts.commitment = row.commitment;
  facts.tag = row.tag;
  facts.epoch = row.epoch;
  facts.version = static_cast<std::uint32_t>(row.version);
  return facts;
}

LeafFacts next_facts(const LeafRow& row, bool has_versions, const LeafFacts* latest, std::uint64_t latest_offset) {
  check_version(has_versions, row.version, latest);
  LeafFacts facts = facts_of(row);
  facts.previous = latest == nullptr ? kNoLogOffset : latest_offset;
  return facts;
}

bool before(const LeafRow& a, const LeafRow& b) {
  return std::make_pair(a.structure(), std::memcmp(a.label.data(), b.label.data(), verify::kHashLen)) <
         std::make_pair(b.structure(), 0);
}

void sort_rows(std::span<const LeafRow> rows, LeafRow* out) {
  // Labels are practically random, so the structure and a few first bits divide the rows into groups of one or two
  // rows. Within a group the rows are sorted by comparison, so the result is correct even if labels are not random.
  const auto bits = static_cast<unsigned>(std::clamp<std::size_t>(std::bit_width(rows.size()), 1, kMaxGroupBits));
  const auto group_of = [bits](const LeafRow& row) {
    return structure_index(row.structure()) << bits |
           static_cast<std::size_t>(base::load_be64(row.label.data()) >> (64 - bits));
  };
  // For each group: the position of the group's next row in `order`, at first where the group begins and in the end
  // where it ends.
  std::vector<std::uint32_t> ends((kNumStructures << bits) + 1);
  for (const LeafRow& row : rows) {
    ++ends[group_of(row) + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> order(rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    order[ends[group_of(rows[i])]++] = i;
  }
  std::uint32_t first = 0;
  for (const std::uint32_t end : std::span(ends).first(kNumStructures << bits)) {
    if (end - first > 1) {
      std::sort(order.begin() + first, order.begin() + end,
                [&](std::uint32_t a, std::uint32_t b) { return before(rows[a], rows[b]); });
    }
    first = end;
  }
  for (const std::uint32_t i : order) {
    *out++ = rows[i];
  }
}

std::vector<std::uint32_t> earlier_of_same_tag(std::span<const Tag> tags) {
  // A hash table from each tag to the last row with this tag. A slot has the row's index plus one, or 0 if it is empty.
  // At most half of the slots are used.
  std::vector<std::uint32_t> seen(std::bit_ceil(2 * tags.size() + 1));
  std::vector<std::uint32_t> earlier(tags.size(), kNoRow);
  for (std::uint32_t i = 0; i < tags.size(); ++i) {
    std::size_t slot = base::load_le64(tags[i].data()) % seen.size();
    while (seen[slot] != 0 && tags[seen[slot] - 1] != tags[i]) {
      slot = (slot + 1) % seen.size();
    }
    if (seen[slot] != 0) {
      earlier[i] = seen[slot] - 1;
    }
    seen[slot] = i + 1;
  }
  return earlier;
}

ByteSpan value_of(const LeafRow& row, ByteSpan values) {
  return values.subspan(static_cast<std::size_t>(row.value_offset), row.value_len);
}

void check_places(std::span<const LeafRow> leaves, ByteSpan values, std::uint32_t max_len, KeptValues kept) {
  for (const LeafRow& row : leaves) {
    if (is_kept(row, kept) && (row.value_offset > values.size() || row.value_len > values.size() - row.value_offset ||
                               row.value_len > max_len)) {
      data_error("a value lies outside the values, or is longer than the configuration allows");
    }
  }
}

void check_commitments(std::span<const LeafRow> leaves, ByteSpan values, KeptValues kept) {
  if (kept == KeptValues::kNone) {
    return;
  }
  HashBatch hashes;
  std::array<Hash, 64> commitments;
  for (std::size_t first = 0; first < leaves.size(); first += commitments.size()) {
    const auto rows = leaves.subspan(first, std::min(commitments.size(), leaves.size() - first));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (is_kept(rows[i], kept)) {
        hashes.add_commitment(rows[i].opening, value_of(rows[i], values), commitments[i]);
      }
    }
    hashes.run();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (is_kept(rows[i], kept) && rows[i].commitment != commitments[i]) {
        data_error("a value does not open its commitment");
      }
    }
  }
}

}  // namespace optiks::ozks
