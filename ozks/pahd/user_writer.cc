#include "pahd/user_writer.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory_resource>
#include <vector>

#include "optiks/ozks/verify/encode_users.h"
#include "optiks/ozks/verify/facts.h"
#include "optiks/ozks/verify/users.h"
#include "pahd/entry_writer.h"
#include "pahd/label_counts.h"
#include "pahd/lookup_plan.h"
#include "pahd/proof_writer.h"
#include "pahd/unmixed.h"

namespace optiks::ozks {
namespace {

using verify::UserKind;

// In a log that reassigns usernames (docs/spec/recycled-names.md): the records about each user to whom the name led,
// from the first user to the last.
struct GenerationsPlan {
  std::vector<LeafRecord> names;
  std::size_t num_absent = 0;
  std::vector<LeafRecord> left;  // records that show that all these users but the last have left
};

struct UserPlan {
  UserKind kind = UserKind::kNone;
  bool has_name = true;
  LeafRecord name;  // the latest record of the username, unless kind is kNone
  GenerationsPlan generations;
  LeafRecord left;  // set if kind is kLeft: the record that shows that the user has left
  LookupPlan devices;
  std::size_t num_keys = 0;  // the number of keys; 0 unless kind is kCurrent
};

struct UsersPlan {
  std::vector<UserPlan> users;
  std::vector<LookupPlan> keys;  // lookups of the devices' keys, for all users together
  // Copies of the device lists. The ids in a list are read twice: to compute tags and to make proofs. If the octets in
  // the leaf log were erased between the two reads, the proof of other octets would be cached under the device's tag.
  std::deque<std::vector<std::uint8_t>> lists;
};

// Plans the answer to a request: adds its labels in the order in which UsersWriter needs them, and stops as soon as it
// finds that the request cannot be answered.
template <typename Labels>
class Planner {
 public:
  Planner(const View& view, const UsersRequest& request, Labels& labels)
      : view_(view), request_(request), labels_(labels) {}

  UsersSummary plan(UsersPlan& out) {
    check_can_answer(view_);
    for (const UserQuery& query : request_.queries) {
      plan_user(query, out);
      if (!request_.is_answered(summary_)) {
        break;
      }
      ++summary_.ahead_user;
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

  // Adds the label of a key of an oZKS, which the answer shows in an Entry.
  void add_entry(const NamedKey& key) {
    labels_.add(key, 0);
    ++summary_.num_entries;
  }

  void plan_user(const UserQuery& query, UsersPlan& out) {
    UserPlan& user = out.users.emplace_back();
    const NamedKey name = named(verify::kUsernames, query.username);
    const bool is_there = find(name, user.name);
    if (!is_there && query.knows_user) {
      summary_.ahead_of = AheadOf::kUser;
    }
    if (view_.data().reuses_usernames) {
      plan_generations(name, is_there ? &user.name : nullptr, user.generations);
    } else {
      user.has_name = !is_there || !query.knows_user;
      if (user.has_name) {
        add_entry(name);
      }
    }
    if (!is_there) {
      return;
    }
    const ByteSpan id = user_id(user.name);
    const NamedKey left = named(verify::kDecommissioned, id);
    add_entry(left);
    if (find(left, user.left)) {
      user.kind = UserKind::kLeft;
      return;
    }
    user.kind = UserKind::kCurrent;
    plan_devices(query, id, user, out);
  }

  // `latest`: the record of the name's last generation, or null if the name has none.
  void plan_generations(const NamedKey& name, const LeafRecord* latest, GenerationsPlan& out) {
    ++summary_.num_entries;
    if (latest != nullptr) {
      out.names.push_back(*latest);
      while (out.names.back().facts().previous != kNoLogOffset) {
        LeafRecord before;
        view_.data().log.read(out.names.back().facts().previous, before);
        out.names.push_back(before);
      }
      std::ranges::reverse(out.names);
    }
    for (std::uint64_t generation = 1; generation <= out.names.size(); ++generation) {
      labels_.add(name, generation);
    }
    const verify::VersionSet absent = verify::next_rungs(out.names.size());
    out.num_absent = absent.size();
    add_all(name, absent, labels_);
    for (std::size_t i = 0; i + 1 < out.names.size(); ++i) {
      ++summary_.num_entries;
      const NamedKey left = named(verify::kDecommissioned, user_id(out.names[i]));
      if (!find(left, out.left.emplace_back())) {
        data_error("a username was given to another user before its own had left");
      }
      add_entry(left);
    }
  }

  // Returns the version that the client knows. In a log that reassigns usernames, ignores what the client knows,
  // because its version might be about another user to whom the name led.
  [[nodiscard]] KnownVersion known(const UserQuery& query, std::uint64_t version) const {
    return view_.data().reuses_usernames ? KnownVersion() : KnownVersion{query.period, version};
  }

  void plan_devices(const UserQuery& query, ByteSpan id, UserPlan& user, UsersPlan& out) {
    if (!plan_versions(named(verify::kDevices, id), known(query, query.devices), user.devices)) {
      summary_.ahead_of = AheadOf::kDevices;
      return;
    }
    if (user.devices.version == 0) {
      data_error("a user has no device list");
    }
    const ByteSpan octets = value_of(user.devices.latest);
    verify::List<verify::Device> list;
    if (!verify::decode_device_list(out.lists.emplace_back(octets.begin(), octets.end()), list)) {
      data_error("a device list cannot be decoded");
    }
    // The ids in the query and the ids in the device list are both in increasing order.
    auto named_key = query.keys.begin();
    for (const verify::Device& device : list) {
      if (!query.device.empty() && !std::ranges::equal(device.id, query.device)) {
        continue;
      }
      while (named_key != std::default_sentinel && std::ranges::lexicographical_compare(named_key->device, device.id)) {
        ++named_key;
      }
      const bool is_known = named_key != std::default_sentinel && std::ranges::equal(named_key->device, device.id);
      ++user.num_keys;
      const KnownVersion version = known(query, is_known ? named_key->version : 0);
      if (!plan_versions(named(verify::kKeys, device.id), version, out.keys.emplace_back())) {
        summary_.ahead_of = AheadOf::kKey;
        return;
      }
      if (!request_.is_answered(summary_)) {
        return;
      }
    }
  }

  // Plans the Lookup of a key. Returns false if the client knows a later version than the view has.
  bool plan_versions(const NamedKey& key, const KnownVersion& known, LookupPlan& out) {
    ++summary_.num_entries;
    out.make(view_, key, known, labels_);
    return known.in(view_.data().period) <= out.version;
  }

  static ByteSpan user_id(const LeafRecord& name) {
    const ByteSpan id = value_of(name);
    if (id.empty() || id.size() > verify::kMaxKeyLen) {
      data_error("a username leads to what is no user id");
    }
    return id;
  }

  static ByteSpan value_of(const LeafRecord& record) {
    if (!record.has_value()) {
      throw DirectoryError(OPTIKS_E_ERASED, "the value of an entry about a user was erased");
    }
    return record.value();
  }

  const View& view_;
  const UsersRequest& request_;
  Labels& labels_;
  UsersSummary summary_;
};

template <typename Labels>
UsersSummary plan_users(const View& view, const UsersRequest& request, Labels& labels, UsersPlan& out) {
  return Planner<Labels>(view, request, labels).plan(out);
}

// Writes the answer that a UsersPlan describes.
class UsersWriter {
 public:
  UsersWriter(const View& view, const LabelProver& labels, Output& out)
      : by_generations_(view.data().reuses_usernames), proofs_(view, labels, out), out_(out) {}

  void write(const UsersPlan& plan) {
    // The list of parts is empty, because all entries refer to the head's record.
    const auto parts = [] {};
    const auto users = [&] {
      for (const UserPlan& user : plan.users) {
        write_user(user, plan);
      }
    };
    verify::encode_user_lookups(out_, parts, users);
  }

 private:
  // Writes the entry of the next label. If `present` is null, the entry proves that the label is absent.
  void put_entry(const LeafRecord* present) { write_entry(proofs_, next_, present, out_); }

  void write_versioned(const LookupPlan& lookup) {
    verify::encode_versioned_entry(out_, kHeadsRecord, [&] { lookup.write(proofs_, next_, out_); });
  }

  void write_name(const UserPlan& user) {
    verify::encode_optional(out_, user.has_name,
                            [&] { put_entry(user.kind == UserKind::kNone ? nullptr : &user.name); });
  }

  void write_generations(const GenerationsPlan& generations) {
    const auto members = [&] {
      for (const LeafRecord& name : generations.names) {
        proofs_.member(next_++, true, false, &name);
      }
    };
    const auto absent = [&] { proofs_.non_members(next_, generations.num_absent); };
    const auto names = [&] { verify::encode_versions(out_, generations.names.size(), 1, members, absent); };
    const auto left = [&] {
      for (const LeafRecord& record : generations.left) {
        put_entry(&record);
      }
    };
    verify::encode_generations(out_, kHeadsRecord, names, left);
  }

  void write_user(const UserPlan& user, const UsersPlan& plan) {
    const auto name = [&] {
      if (by_generations_) {
        write_generations(user.generations);
      } else {
        write_name(user);
      }
    };
    const auto decommissioned = [&] { put_entry(user.kind == UserKind::kLeft ? &user.left : nullptr); };
    const auto devices = [&] { write_versioned(user.devices); };
    const auto keys = [&] {
      for (const std::size_t end = next_key_ + user.num_keys; next_key_ < end; ++next_key_) {
        write_versioned(plan.keys[next_key_]);
      }
    };
    verify::encode_user_lookup(out_, user.kind, by_generations_, name, decommissioned, devices, keys);
  }

  bool by_generations_;
  ProofWriter proofs_;
  Output& out_;
  std::size_t next_ = 0;
  std::size_t next_key_ = 0;
};

}  // namespace

UsersSummary summarize_users(const View& view, const UsersRequest& request) {
  CountedLabels labels;
  UsersPlan plan;
  return plan_users(view, request, labels, plan);
}

UsersSummary add_users(const View& view, const UsersRequest& request, ProofBatch& batch) {
  CountingLabels<ProofBatch> labels(batch);
  UsersPlan plan;
  return plan_users(view, request, labels, plan);
}

namespace {

bool write_users_once(const View& view, const UsersRequest& request, const ProofBatch* batch, Output& out,
                      UsersSummary& summary) {
  LabelProver labels(view.data(), batch, *std::pmr::new_delete_resource());
  CountingLabels<LabelProver> counting(labels);
  UsersPlan plan;
  summary = plan_users(view, request, counting, plan);
  if (!request.is_answered(summary)) {
    return true;
  }
  if (!labels.run()) {
    return false;
  }
  UsersWriter(view, labels, out).write(plan);
  return true;
}

}  // namespace

bool write_users(const View& view, const UsersRequest& request, const ProofBatch* batch, Output& out,
                 UsersSummary& summary) {
  bool has_proofs = false;
  write_unmixed(view.data().log, out, [&] { has_proofs = write_users_once(view, request, batch, out, summary); });
  return has_proofs;
}

}  // namespace optiks::ozks
