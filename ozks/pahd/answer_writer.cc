#include "pahd/answer_writer.h"

#include <algorithm>

#include "optiks/ozks/verify/ladder.h"
#include "pahd/label_prover.h"

namespace optiks::ozks {
namespace {

enum MemberKind : std::uint8_t { kCommitted = 0, kOpened = 1 };
enum NodeKind : std::uint8_t { kEmpty = 0, kInterior = 1, kLeaf = 2 };

constexpr std::uint64_t kProofsAtOnce = 32;

[[noreturn]] void data_error(const char* text) { throw DirectoryError(OPTIKS_E_DATA, text); }

void put_path(Output& out, const Walk& walk) {
  std::array<std::uint8_t, verify::kHashLen> mask{};
  for (std::size_t i = 0; i < walk.num_steps; ++i) {
    const std::uint32_t bit = walk.steps[i].length;
    mask[bit / 8] = static_cast<std::uint8_t>(mask[bit / 8] | (0x80U >> (bit % 8)));
  }
  out.put(mask);
  out.put_integer(walk.num_steps * verify::kHashLen, 2);
  for (std::size_t i = walk.num_steps; i-- > 0;) {
    out.put(*walk.steps[i].sibling);
  }
}

// Writes proofs about one structure of one snapshot.
class ProofWriter {
 public:
  ProofWriter(const Snapshot& snapshot, std::uint8_t structure, Output& out)
      : store_(snapshot.store()), tree_(snapshot.version().trees[structure - 1U]), out_(out) {}

  // `opened`: with the value, unless it was erased and may be.
  void member(const Proven& proven, bool opened, bool may_be_erased) {
    store_.nodes.walk(tree_, proven.label, walk_);
    if (walk_.end == kNoNode || walk_.common != verify::kLabelBits) {
      data_error(
          "a version that the key table names is not in the tree: the stored leaves are not of these VRF secrets");
    }
    const Leaf& leaf = store_.nodes.leaf(walk_.end);
    out_.put(proven.proof);
    out_.put_integer(leaf.epoch, 8);
    if (opened && leaf.locator == kNoLocator && !may_be_erased) {
      data_error("the latest value of a key is missing");
    }
    if (opened && leaf.locator != kNoLocator) {
      store_.values->read(leaf.locator, value_);
      const ByteSpan record(value_);
      out_.put_integer(kOpened, 1);
      out_.put(record.first(kOpeningLen));
      out_.put_integer(record.size() - kOpeningLen, 3);
      out_.put(record.subspan(kOpeningLen));
    } else {
      out_.put_integer(kCommitted, 1);
      out_.put(leaf.commitment);
    }
    put_path(out_, walk_);
  }

  void non_member(const Proven& proven) {
    store_.nodes.walk(tree_, proven.label, walk_);
    out_.put(proven.proof);
    if (walk_.end == kNoNode) {
      out_.put_integer(kEmpty, 1);
      return;
    }
    const Leaf& leaf = store_.nodes.leaf(walk_.end);
    if (walk_.common == verify::kLabelBits) {
      data_error("a version beyond the latest is in the tree");
    }
    if (Nodes::is_leaf(walk_.opened)) {
      out_.put_integer(kLeaf, 1);
      out_.put(leaf.label);
      out_.put(leaf.commitment);
      out_.put_integer(leaf.epoch, 8);
    } else {
      const Interior& node = store_.nodes.interior(walk_.opened);
      out_.put_integer(kInterior, 1);
      out_.put_integer(node.length, 1);
      out_.put(verify::prefix_of(leaf.label, node.length));
      out_.put(node.hash[0]);
      out_.put(node.hash[1]);
    }
    put_path(out_, walk_);
  }

 private:
  Store& store_;
  const Tree& tree_;
  Output& out_;
  Walk walk_;
  std::vector<std::uint8_t> value_;
};

std::uint64_t latest_version(const Snapshot& snapshot, std::uint8_t structure, ByteSpan key) {
  const Store& store = snapshot.store();
  const NodeId id = store.latest(store.tag(structure, key), snapshot.version().epoch);
  return id == kNoNode ? 0 : store.nodes.leaf(id).version;
}

void check_can_answer(const Snapshot& snapshot) {
  if (!snapshot.store().values) {
    throw DirectoryError(OPTIKS_E_STATE, "a directory without a value log answers no lookups");
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

void write_lookups(const Snapshot& snapshot, std::uint8_t structure, std::span<const LookupQuery> queries, Output& out,
                   std::uint64_t* ends) {
  check_can_answer(snapshot);
  Store& store = snapshot.store();
  struct Plan {
    std::uint64_t version;
    verify::VersionSet members;
  };
  std::vector<Plan> plans;
  plans.reserve(queries.size());
  LabelProver prover(store, structure);
  for (const LookupQuery& query : queries) {
    const std::uint64_t a = latest_version(snapshot, structure, query.key);
    const std::uint64_t known = query.known_period == store.period ? query.known_version : 0;
    plans.push_back({a, verify::ladder(a, known)});
    for (const std::uint64_t version : plans.back().members.get()) {
      prover.add(query.key, version);
    }
    prover.add(query.key, a + 1);
  }
  prover.run();
  ProofWriter writer(snapshot, structure, out);
  std::size_t next = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    out.put_integer(plans[i].version, 8);
    const std::size_t length_at = out.size();
    out.put_integer(0, 3);
    for (const std::uint64_t version : plans[i].members.get()) {
      writer.member(prover[next++], version == plans[i].version, false);
    }
    out.put_length_at(length_at, out.size() - length_at - 3, 3);
    writer.non_member(prover[next++]);
    ends[i] = out.size();
  }
}

void write_versions(const Snapshot& snapshot, std::uint8_t structure, const VersionsQuery& query, Output& out) {
  check_can_answer(snapshot);
  const std::uint64_t a = latest_version(snapshot, structure, query.key);
  out.put_integer(a, 8);
  out.put_integer(query.from, 8);
  const std::size_t length_at = out.size();
  out.put_integer(0, 4);
  ProofWriter writer(snapshot, structure, out);
  // Beyond the latest there is nothing to list (and `from` may be the largest integer).
  const std::uint64_t wanted = query.from > a ? 0 : a - query.from + 1;
  const std::uint64_t listed = std::min<std::uint64_t>(wanted, query.max_members);
  std::uint64_t written = 0;
  const auto room = [&] { return written < listed && (written == 0 || out.size() < query.max_bytes); };
  while (room()) {
    // In batches, as max_bytes may end the page long before max_members does.
    LabelProver members(snapshot.store(), structure);
    const std::uint64_t first = written;
    for (std::uint64_t i = 0; i < std::min(listed - first, kProofsAtOnce); ++i) {
      members.add(query.key, query.from + first + i);
    }
    members.run();
    for (std::size_t i = 0; i < members.size() && room(); ++i) {
      const std::uint64_t version = query.from + written;
      writer.member(members[i], true, version != a);
      ++written;
    }
  }
  out.put_length_at(length_at, out.size() - length_at - 4, 4);
  const std::size_t absent_at = out.size();
  out.put_integer(0, 3);
  if (written == wanted) {
    verify::VersionSet absent;
    if (query.monitor) {
      absent = verify::next_rungs(a);
    } else {
      absent.add(a + 1);
    }
    LabelProver prover(snapshot.store(), structure);
    for (const std::uint64_t version : absent.get()) {
      prover.add(query.key, version);
    }
    prover.run();
    for (std::size_t i = 0; i < absent.size(); ++i) {
      writer.non_member(prover[i]);
    }
  }
  out.put_length_at(absent_at, out.size() - absent_at - 3, 3);
}

}  // namespace optiks::ozks
