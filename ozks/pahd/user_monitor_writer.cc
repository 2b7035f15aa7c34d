#include "pahd/user_monitor_writer.h"

#include <algorithm>
#include <iterator>
#include <memory_resource>
#include <set>
#include <vector>

#include "optiks/ozks/verify/facts.h"
#include "optiks/ozks/verify/users.h"
#include "pahd/entry_writer.h"
#include "pahd/label_counts.h"
#include "pahd/lookup_plan.h"
#include "pahd/proof_writer.h"
#include "pahd/unmixed.h"

namespace optiks::ozks {
namespace {

// In the size of an answer, reading this number of versions of the list counts as much as showing one key.
constexpr std::uint64_t kReadForOne = 64;
// The maximum number of octets of the list's versions that are read to find out whether the named ids were on the list.
// For each version, kSearchedForVersion octets are added to the length of its value.
constexpr std::uint64_t kMaxSearched = std::uint64_t{4} << 20;
constexpr std::uint64_t kSearchedForVersion = 64;
// The values of the list may take 1/kListShare of a page's octets.
constexpr std::uint64_t kListShare = 4;

// The versions of one key that a Versions structure shows (docs/spec/pahd.md section 2).
struct VersionsPage {
  std::uint64_t from = 1;
  std::uint64_t latest = 0;
  std::uint64_t num_members = 0;
  std::size_t num_absent = 0;
  LeafRecord record;  // record of the latest version

  [[nodiscard]] std::uint64_t wanted() const { return from > latest ? 0 : latest - from + 1; }
};

// The followed device ids, in increasing order. They are copies, because an erasure overwrites the octets in the leaf
// log with zeros, but all proofs about an id must be about the same octets. The elements of a set keep their addresses.
struct IsBefore {
  using is_transparent = void;
  bool operator()(ByteSpan a, ByteSpan b) const { return std::ranges::lexicographical_compare(a, b); }
};
using Ids = std::set<std::vector<std::uint8_t>, IsBefore>;

struct MonitorPlan {
  std::vector<LeafRecord> names;
  bool has_left = false;
  LeafRecord left;
  VersionsPage devices;
  std::vector<LeafRecord> lists;  // records of the members of the Versions for `devices`
  Ids ids;
  std::vector<VersionsPage> keys;  // for each id, the shown versions of its key
};

// Plans an answer: adds its labels in the order in which MonitorWriter needs them, and stops as soon as it finds that
// the question cannot be answered.
template <typename Labels>
class MonitorPlanner {
 public:
  MonitorPlanner(const View& view, const UserMonitorRequest& request, Labels& labels)
      : view_(view),
        log_(view.data().log),
        request_(request),
        query_(request.query),
        is_known_period_(request.query.period == view.data().period),
        erasures_(log_.erasures()),
        labels_(labels) {}

  UserMonitorSummary plan(MonitorPlan& out) {
    check_can_answer(view_);
    if (plan_names(out) && plan_left(out) && plan_devices(out)) {
      plan_keys(out);
    }
    summary_.num_proofs = labels_.count();
    return summary_;
  }

 private:
  [[nodiscard]] NamedKey named(std::uint8_t structure, ByteSpan key) const {
    return named_key(view_.data(), structure, key);
  }

  [[nodiscard]] bool find(const NamedKey& key, LeafRecord& out) const {
    return view_.data().latest(key.tag, view_.state().epoch, out);
  }

  bool stop(Unanswered why, std::size_t index = 0) {
    summary_.unanswered = why;
    summary_.index = index;
    return false;
  }

  // Adds to `labels_` the label of a key whose structure is an oZKS. The answer shows this key in an Entry.
  void add_entry(const NamedKey& key) {
    labels_.add(key, 0);
    ++summary_.num_entries;
  }

  bool plan_names(MonitorPlan& out) {
    if (view_.data().reuses_usernames && query_.usernames.size() != 0) {
      throw DirectoryError(OPTIKS_E_ARGUMENT, "an owner is not shown names that are used again");
    }
    for (const Username& asked : query_.usernames) {
      const NamedKey name = named(verify::kUsernames, asked.name);
      LeafRecord& record = out.names.emplace_back();
      const std::size_t index = out.names.size() - 1;
      if (!find(name, record)) {
        return stop(Unanswered::kNoName, index);
      }
      if (!record.has_value()) {
        throw DirectoryError(OPTIKS_E_ERASED, "the value of an entry about a user was erased");
      }
      if (request_.own_only && !std::ranges::equal(record.value(), query_.user)) {
        return stop(Unanswered::kNoName, index);
      }
      add_entry(name);
    }
    return true;
  }

  // Returns false if the user has left, because the answer then shows nothing after this entry.
  bool plan_left(MonitorPlan& out) {
    const NamedKey left = named(verify::kDecommissioned, query_.user);
    add_entry(left);
    out.has_left = find(left, out.left);
    return !out.has_left;
  }

  [[nodiscard]] std::uint64_t known_from(std::uint64_t from) const { return is_known_period_ ? from : 1; }

  // Finds the key's latest version. Returns false if the client knows a later version than this one.
  bool find_versions(const NamedKey& key, std::uint64_t from, VersionsPage& out) {
    ++summary_.num_entries;
    out.from = known_from(from);
    out.latest = latest_version(view_, key.tag, out.record);
    return out.from - 1 <= out.latest;
  }

  void add_labels(const NamedKey& key, VersionsPage& page) {
    for (std::uint64_t i = 0; i < page.num_members; ++i) {
      labels_.add(key, page.from + i);
    }
    // Only a page with the list's last version proves versions absent.
    if (page.num_members == page.wanted()) {
      const verify::VersionSet absent = verify::next_rungs(page.latest);
      page.num_absent = absent.size();
      add_all(key, absent, labels_);
    }
  }

  bool plan_devices(MonitorPlan& out) {
    const NamedKey key = named(verify::kDevices, query_.user);
    VersionsPage& page = out.devices;
    if (!find_versions(key, query_.from, page)) {
      return stop(Unanswered::kDevices);
    }
    if (page.latest == 0) {
      return stop(Unanswered::kNoUser);
    }
    for (const NamedDevice& device : query_.keys) {
      out.ids.emplace(device.device.begin(), device.device.end());
    }
    if (request_.own_only && !have_been_listed(out.ids, page.record)) {
      return stop(Unanswered::kOtherKey);
    }
    // The records of the list's versions that may be on the page, the newest first.
    std::vector<LeafRecord> records;
    read_lists(page, records);
    if (page.from > 1) {
      follow(read_ids(records.back()), out.ids);
      records.pop_back();
    }
    std::uint64_t octets = 0;
    while (!records.empty()) {
      const LeafRecord& record = records.back();
      const std::vector<ByteSpan> ids = read_ids(record);
      octets += record.has_value() ? record.value().size() : 0;
      if (!out.lists.empty() && (octets > request_.page.max_bytes / kListShare || is_beyond(ids, out.ids))) {
        break;
      }
      follow(ids, out.ids);
      out.lists.push_back(record);
      records.pop_back();
    }
    page.num_members = out.lists.size();
    add_labels(key, page);
    return true;
  }

  // True if each of the ids was on some version of the list. The search begins at the latest version and is limited to
  // kMaxSearched octets. The limit is needed because a list may be long and have as many versions as there are epochs.
  // Without it, a client that names an id that was never on the list would make the service read all versions.
  bool have_been_listed(Ids ids, LeafRecord record) {
    std::uint64_t num_read = 0;
    for (std::uint64_t searched = 0; !ids.empty(); ++num_read) {
      searched += kSearchedForVersion + (record.has_value() ? record.value().size() : 0);
      if (searched > kMaxSearched && num_read != 0) {
        break;
      }
      for (const ByteSpan id : read_ids(record)) {
        if (const auto found = ids.find(id); found != ids.end()) {
          ids.erase(found);
        }
      }
      if (record.facts().version == 1) {
        break;
      }
      log_.read(record.facts().previous, record);
    }
    summary_.num_entries += num_read / kReadForOne;
    return ids.empty();
  }

  // Reads the records of the list's versions that may be on the page, and of the version before `page.from`, from the
  // newest to the oldest.
  void read_lists(const VersionsPage& page, std::vector<LeafRecord>& out) {
    const std::uint64_t first = std::max<std::uint64_t>(page.from - 1, 1);
    const std::uint64_t last = page.from - 1 + std::min(page.wanted(), request_.page.max_members);
    LeafRecord record = page.record;
    LeafFacts facts = record.facts();
    std::uint64_t passed = 0;
    std::uint64_t offset = kNoLogOffset;
    for (; facts.version > last; ++passed) {
      offset = facts.previous;
      log_.read_facts(offset, facts);
    }
    if (passed != 0) {
      log_.read(offset, record);
    }
    summary_.num_entries += passed / kReadForOne;
    out.push_back(record);
    while (record.facts().version > first) {
      log_.read(record.facts().previous, record);
      out.push_back(record);
    }
  }

  // Returns the device ids in this version of the list. If the version was erased, returns no ids; only ids that the
  // query names are then followed.
  std::vector<ByteSpan> read_ids(const LeafRecord& record) {
    std::vector<ByteSpan> ids;
    if (!record.has_value()) {
      return ids;
    }
    verify::List<verify::Device> list;
    if (!verify::decode_device_list(record.value(), list)) {
      // If the list is being erased, this answer is discarded and write_unmixed() writes it again.
      if (!log_.changed_since(erasures_)) {
        data_error("a device list cannot be decoded");
      }
      return ids;
    }
    for (const verify::Device& device : list) {
      ids.push_back(device.id);
    }
    return ids;
  }

  [[nodiscard]] bool is_beyond(const std::vector<ByteSpan>& ids, const Ids& followed) const {
    const auto is_new = [&](ByteSpan id) { return !followed.contains(id); };
    return followed.size() + static_cast<std::uint64_t>(std::ranges::count_if(ids, is_new)) >
           request_.page.max_followed;
  }

  static void follow(const std::vector<ByteSpan>& ids, Ids& followed) {
    for (const ByteSpan id : ids) {
      followed.emplace(id.begin(), id.end());
    }
  }

  // Plans the versions of all followed keys, which share the maximum number `max_all_members`.
  void plan_keys(MonitorPlan& out) {
    out.keys.reserve(out.ids.size());
    std::uint64_t left = request_.page.max_all_members;
    // The named ids and the followed ids are both in increasing order, and every named id is followed.
    auto name = query_.keys.begin();
    std::size_t named_before = 0;
    for (const std::vector<std::uint8_t>& id : out.ids) {
      const bool is_named = name != std::default_sentinel && std::ranges::equal(name->device, id);
      const NamedKey key = named(verify::kKeys, id);
      VersionsPage& page = out.keys.emplace_back();
      if (!find_versions(key, is_named ? name->from : 1, page)) {
        stop(Unanswered::kKey, named_before);
        return;
      }
      if (is_named) {
        ++name;
        ++named_before;
      }
      const std::uint64_t share = left / (out.ids.size() - (out.keys.size() - 1));
      page.num_members = std::min({page.wanted(), request_.page.max_members, std::max<std::uint64_t>(share, 1)});
      left -= std::min(left, page.num_members);
      add_labels(key, page);
    }
  }

  const View& view_;
  const LeafLog& log_;
  const UserMonitorRequest& request_;
  const UserMonitorQuery& query_;
  bool is_known_period_;
  std::uint64_t erasures_;
  Labels& labels_;
  UserMonitorSummary summary_;
};

template <typename Labels>
UserMonitorSummary plan_user(const View& view, const UserMonitorRequest& request, Labels& labels, MonitorPlan& out) {
  return MonitorPlanner<Labels>(view, request, labels).plan(out);
}

// Writes the answer that a MonitorPlan describes.
class MonitorWriter {
 public:
  MonitorWriter(const View& view, const LabelProver& labels, std::uint64_t max_bytes, Output& out)
      : proofs_(view, labels, out), max_bytes_(max_bytes), out_(out) {}

  void write(const MonitorPlan& plan) {
    const std::size_t begin = out_.size();
    const auto names = [&] {
      for (const LeafRecord& name : plan.names) {
        write_entry(proofs_, next_, &name, out_);
      }
    };
    const auto decommissioned = [&] { write_entry(proofs_, next_, plan.has_left ? &plan.left : nullptr, out_); };
    const auto devices = [&] { write_versions(plan.devices, plan.lists, max_bytes_); };
    const auto keys = [&] {
      std::size_t num_left = plan.keys.size();
      for (const VersionsPage& page : plan.keys) {
        const std::uint64_t written = out_.size() - begin;
        write_versions(page, {}, (max_bytes_ - std::min(max_bytes_, written)) / num_left--);
      }
    };
    verify::encode_user_monitor(out_, plan.has_left, names, decommissioned, devices, keys);
  }

 private:
  // `records`: the records of the members, or empty if they were not read. If it is empty, the page may end before its
  // last planned member, because it ends when it has `max_bytes` octets.
  void write_versions(const VersionsPage& page, std::span<const LeafRecord> records, std::uint64_t max_bytes) {
    const std::size_t begin = out_.size();
    const std::size_t end = next_ + page.num_members + page.num_absent;
    std::uint64_t written = 0;
    const auto members = [&] {
      // If there are records, these are versions of the device list. All of them are written, because the followed ids
      // come from all of them.
      while (written < page.num_members && (written == 0 || !records.empty() || out_.size() - begin < max_bytes)) {
        const bool is_latest = page.from + written == page.latest;
        const LeafRecord* known = !records.empty() ? &records[written] : is_latest ? &page.record : nullptr;
        proofs_.member(next_++, true, !is_latest, known);
        ++written;
      }
    };
    const auto absent = [&] { proofs_.non_members(next_, written == page.wanted() ? end - next_ : 0); };
    verify::encode_versions(out_, page.latest, page.from, members, absent);
    next_ = end;
  }

  ProofWriter proofs_;
  std::uint64_t max_bytes_;
  Output& out_;
  std::size_t next_ = 0;
};

}  // namespace

UserMonitorSummary summarize_user_monitor(const View& view, const UserMonitorRequest& request) {
  CountedLabels labels;
  MonitorPlan plan;
  return plan_user(view, request, labels, plan);
}

UserMonitorSummary add_user_monitor(const View& view, const UserMonitorRequest& request, ProofBatch& batch) {
  CountingLabels<ProofBatch> labels(batch);
  MonitorPlan plan;
  return plan_user(view, request, labels, plan);
}

UserMonitorSummary write_user_monitor(const View& view, const UserMonitorRequest& request, const ProofBatch& batch,
                                      Output& out) {
  UserMonitorSummary summary;
  write_unmixed(view.data().log, out, [&] {
    LabelProver labels(view.data(), &batch, *std::pmr::new_delete_resource());
    CountingLabels<LabelProver> counting(labels);
    MonitorPlan plan;
    summary = plan_user(view, request, counting, plan);
    if (summary.unanswered == Unanswered::kNothing) {
      static_cast<void>(labels.run());
      MonitorWriter(view, labels, request.page.max_bytes, out).write(plan);
    }
  });
  return summary;
}

}  // namespace optiks::ozks
