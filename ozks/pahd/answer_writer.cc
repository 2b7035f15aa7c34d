#include "pahd/answer_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <thread>
#include <vector>

#include "optiks/ozks/verify/ladder.h"
#include "pahd/label_prover.h"

namespace optiks::ozks {
namespace {

enum MemberKind : std::uint8_t { kCommitted = 0, kOpened = 1 };
enum NodeKind : std::uint8_t { kEmpty = 0, kInterior = 1, kLeaf = 2 };

constexpr std::uint64_t kProofBatch = 32;

void put_path(Output& out, std::span<const Step> steps) {
  std::array<std::uint8_t, verify::kHashLen> mask{};
  for (const Step& step : steps) {
    mask[step.length / 8] = static_cast<std::uint8_t>(mask[step.length / 8] | (0x80U >> (step.length % 8)));
  }
  out.put(mask);
  out.put_integer(steps.size() * verify::kHashLen, 2);
  for (std::size_t i = steps.size(); i-- > 0;) {
    out.put(*steps[i].sibling);
  }
}

// Writes proofs about one structure of one view, for the labels of a prover that ran.
class ProofWriter {
 public:
  ProofWriter(const View& view, std::uint8_t structure, const LabelProver& labels, Output& out)
      : data_(view.data()), tree_(view.state().trees[structure - 1U]), labels_(labels), out_(out) {}

  // `opened`: with the value, unless it was erased and may be. `known`: the leaf's record, or null when it was not read
  // yet.
  void member(std::size_t i, bool opened, bool may_be_erased, const LeafRecord* known) {
    const Path& path = path_to(i);
    if (path.leaf == nullptr || path.common != verify::kLabelBits) {
      data_error(
          "a version that the key table names is not in the tree: the stored leaves are not of these VRF secrets");
    }
    if (known == nullptr) {
      data_.log.read(path.log_offset, record_);
    }
    const LeafRecord& leaf = known == nullptr ? record_ : *known;
    out_.put(labels_[i].proof);
    out_.put_integer(leaf.facts().epoch, 8);
    if (opened && !leaf.has_value() && !may_be_erased) {
      throw DirectoryError(OPTIKS_E_ERASED, "the latest value of a key was erased");
    }
    if (opened && leaf.has_value()) {
      out_.put_integer(kOpened, 1);
      out_.put(leaf.opening());
      out_.put_integer(leaf.value().size(), 3);
      out_.put(leaf.value());
    } else {
      out_.put_integer(kCommitted, 1);
      out_.put(leaf.facts().commitment);
    }
    put_path(out_, path.above());
  }

  void non_member(std::size_t i) {
    const Path& path = path_to(i);
    out_.put(labels_[i].proof);
    if (path.leaf == nullptr) {
      out_.put_integer(kEmpty, 1);
      return;
    }
    if (path.common == verify::kLabelBits) {
      data_error("a version beyond the latest is in the tree");
    }
    if (path.opened == nullptr) {
      LeafFacts facts;
      data_.log.read_facts(path.log_offset, facts);
      out_.put_integer(kLeaf, 1);
      out_.put(*path.leaf);
      out_.put(facts.commitment);
      out_.put_integer(facts.epoch, 8);
    } else {
      out_.put_integer(kInterior, 1);
      out_.put_integer(path.length, 1);
      out_.put(verify::prefix_of(*path.leaf, path.length));
      out_.put(path.opened[0]);
      out_.put(path.opened[1]);
    }
    put_path(out_, path.above());
  }

 private:
  // The path of the i-th label; with those of the labels after it, which are wanted next.
  const Path& path_to(std::size_t i) {
    if (i - first_path_ >= num_paths_) {
      first_path_ = i;
      num_paths_ = std::min(Paths::kMax, labels_.size() - i);
      std::array<ByteSpan, Paths::kMax> labels;
      for (std::size_t j = 0; j < num_paths_; ++j) {
        labels[j] = labels_[i + j].label;
      }
      data_.trees->walk_many(tree_, std::span(labels).first(num_paths_), paths_);
      for (std::size_t j = 0; j < num_paths_; ++j) {
        const Path& path = paths_.paths[j];
        // A leaf with another label, whose record says what to show of it.
        if (path.leaf != nullptr && path.opened == nullptr && path.common != verify::kLabelBits) {
          data_.log.prefetch(path.log_offset);
        }
      }
    }
    return paths_.paths[i - first_path_];
  }

  DirectoryData& data_;
  const Tree& tree_;
  const LabelProver& labels_;
  Output& out_;
  std::size_t first_path_ = 0;
  std::size_t num_paths_ = 0;
  Paths paths_;
  LeafRecord record_;
};

// The key's latest version, 0 without one, and its record.
std::uint64_t latest_version(const View& view, const Tag& key, LeafRecord& record) {
  return view.data().latest(key, view.state().epoch, record) ? record.facts().version : 0;
}

verify::VersionSet ladder_of(const DirectoryData& data, const LookupQuery& query, std::uint64_t latest) {
  return verify::ladder(latest, query.known_period == data.period ? query.known_version : 0);
}

// To a LabelProver or ProofBatch.
template <typename Labels>
void add_all(const NamedKey& key, const verify::VersionSet& versions, Labels& labels) {
  for (const std::uint64_t version : versions.get()) {
    labels.add(key, version);
  }
}

// What a Versions lists and proves absent. Its proofs are made by rounds, as max_bytes may end a page long before
// max_members does; the last round's members and what is absent are made together.
struct VersionsPlan {
  VersionsPlan(const View& view, std::uint8_t structure, const VersionsQuery& query)
      : key{query.key, view.data().tag(structure, query.key)},
        latest(latest_version(view, key.tag, record)),
        // Beyond the latest there is nothing to list (and `from` may be the largest integer).
        wanted(query.from > latest ? 0 : latest - query.from + 1),
        listed(std::min<std::uint64_t>(wanted, query.max_members)) {}

  // Adds the labels of the round that begins after `written` members to a LabelProver or ProofBatch: members, whose
  // number it gives, and if they are the last that are wanted, the absent ones.
  template <typename Labels>
  std::uint64_t add_round(const VersionsQuery& query, std::uint64_t written, Labels& labels) const {
    const std::uint64_t num_members = std::min(listed - written, kProofBatch);
    for (std::uint64_t i = 0; i < num_members; ++i) {
      labels.add(key, query.from + written + i);
    }
    if (written + num_members == wanted) {
      add_all(key, verify::next_rungs(latest), labels);
    }
    return num_members;
  }

  NamedKey key;
  LeafRecord record;  // of the latest version
  std::uint64_t latest;
  std::uint64_t wanted;
  std::uint64_t listed;
};

// Writes an answer from the leaf log, and once more from its beginning if a record was erased meanwhile: no answer has
// half of a value.
template <typename Write>
void write_unmixed(const LeafLog& log, Output& out, Write write) {
  const std::size_t begin = out.size();
  for (;;) {
    const std::uint64_t erasures = log.erasures();
    write();
    if (!log.changed_since(erasures)) {
      return;
    }
    out.truncate(begin);
    std::this_thread::yield();
  }
}

void check_can_answer(const View& view) {
  if (view.data().kept_values != KeptValues::kAll) {
    throw DirectoryError(OPTIKS_E_STATE, "a directory that does not keep all values answers no lookups");
  }
}

}  // namespace

void Output::put(ByteSpan octets) {
  if (size_ + octets.size() <= capacity_) {
    std::copy(octets.begin(), octets.end(), out_ + size_);
  }
  size_ += octets.size();
}

void Output::put_integer(std::uint64_t value, std::size_t octets) {
  std::uint8_t all[8];
  base::store_be64(all, value);
  put({all + (8 - octets), octets});
}

void Output::put_length_at(std::size_t at, std::uint64_t length, std::size_t octets) {
  std::uint8_t all[8];
  base::store_be64(all, length);
  if (std::any_of(all, all + (8 - octets), [](std::uint8_t octet) { return octet != 0; })) {
    data_error("an answer is longer than its encoding allows");
  }
  if (at + octets <= capacity_) {
    std::copy_n(all + (8 - octets), octets, out_ + at);
  }
}

namespace {

bool write_lookups_once(const View& view, std::uint8_t structure, std::span<const LookupQuery> queries,
                        const ProofSource& source, Output& out, std::uint64_t* ends) {
  const DirectoryData& data = view.data();
  struct Plan {
    std::uint64_t version = 0;
    std::size_t num_members = 0;
    std::size_t num_absent = 0;
    LeafRecord latest;
  };
  // An answer to one query, or a few, takes no memory but this.
  std::array<std::byte, 4096> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<Plan> plans(queries.size(), &memory);
  std::pmr::vector<TagInput> inputs(&memory);
  inputs.reserve(queries.size());
  for (const LookupQuery& query : queries) {
    inputs.push_back({structure, query.key});
  }
  std::pmr::vector<Tag> keys(queries.size(), &memory);
  data.secrets.tag_key.tag_many(inputs, keys);
  // What several keys need of memory is asked for before the first of them waits for it.
  data.trees->prefetch_newest(data.log, keys);
  LabelProver labels(view.data(), structure, source, memory);
  // Of most keys one version is proven, and the absence of another.
  labels.reserve(2 * queries.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::uint64_t a = latest_version(view, keys[i], plans[i].latest);
    const verify::VersionSet members = ladder_of(data, queries[i], a);
    const verify::VersionSet absent = verify::next_rungs(a);
    plans[i].version = a;
    plans[i].num_members = members.size();
    plans[i].num_absent = absent.size();
    const NamedKey key{queries[i].key, keys[i]};
    add_all(key, members, labels);
    add_all(key, absent, labels);
  }
  if (!labels.run()) {
    return false;
  }
  ProofWriter writer(view, structure, labels, out);
  std::size_t next = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    out.put_integer(plans[i].version, 8);
    const std::size_t length_at = out.size();
    out.put_integer(0, 3);
    for (std::size_t member = 1; member <= plans[i].num_members; ++member) {
      // The last is the latest: a ladder that is not empty ends with it.
      const bool is_latest = member == plans[i].num_members;
      writer.member(next++, is_latest, false, is_latest ? &plans[i].latest : nullptr);
    }
    out.put_length_at(length_at, out.size() - length_at - 3, 3);
    const std::size_t absent_at = out.size();
    out.put_integer(0, 3);
    for (std::size_t absent = 0; absent < plans[i].num_absent; ++absent) {
      writer.non_member(next++);
    }
    out.put_length_at(absent_at, out.size() - absent_at - 3, 3);
    ends[i] = out.size();
  }
  return true;
}

void write_versions_once(const View& view, std::uint8_t structure, const VersionsQuery& query, const ProofBatch* batch,
                         Output& out);

}  // namespace

bool write_lookups(const View& view, std::uint8_t structure, std::span<const LookupQuery> queries,
                   const ProofSource& source, Output& out, std::uint64_t* ends) {
  check_can_answer(view);
  bool has_proofs = false;
  write_unmixed(view.data().log, out,
                [&] { has_proofs = write_lookups_once(view, structure, queries, source, out, ends); });
  return has_proofs;
}

void add_lookup(const View& view, std::uint8_t structure, const LookupQuery& query, ProofBatch& batch) {
  const NamedKey key{query.key, view.data().tag(structure, query.key)};
  LeafRecord latest;
  const std::uint64_t a = latest_version(view, key.tag, latest);
  add_all(key, ladder_of(view.data(), query, a), batch);
  add_all(key, verify::next_rungs(a), batch);
}

void write_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, const ProofBatch* batch,
                    Output& out) {
  check_can_answer(view);
  write_unmixed(view.data().log, out, [&] { write_versions_once(view, structure, query, batch, out); });
}

namespace {

void write_versions_once(const View& view, std::uint8_t structure, const VersionsQuery& query, const ProofBatch* batch,
                         Output& out) {
  const VersionsPlan plan(view, structure, query);
  out.put_integer(plan.latest, 8);
  out.put_integer(query.from, 8);
  const std::size_t length_at = out.size();
  out.put_integer(0, 4);
  std::uint64_t written = 0;
  for (bool is_done = false; !is_done;) {
    LabelProver labels(view.data(), structure, {batch, true}, *std::pmr::new_delete_resource());
    const std::uint64_t num_members = plan.add_round(query, written, labels);
    static_cast<void>(labels.run());
    ProofWriter writer(view, structure, labels, out);
    std::size_t next = 0;
    while (next < num_members && (written == 0 || out.size() < query.max_bytes)) {
      const bool is_latest = query.from + written == plan.latest;
      writer.member(next++, true, !is_latest, is_latest ? &plan.record : nullptr);
      ++written;
    }
    is_done = next < num_members || written == plan.listed;
    if (is_done) {
      out.put_length_at(length_at, out.size() - length_at - 4, 4);
      const std::size_t absent_at = out.size();
      out.put_integer(0, 3);
      while (written == plan.wanted && next < labels.size()) {
        writer.non_member(next++);
      }
      out.put_length_at(absent_at, out.size() - absent_at - 3, 3);
    }
  }
}

}  // namespace

void add_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, ProofBatch& batch) {
  VersionsPlan(view, structure, query).add_round(query, 0, batch);
}

}  // namespace optiks::ozks
