#include <algorithm>

#include "optiks/base/check.h"
#include "optiks/ozks/verify/ladder.h"
#include "optiks/ozks/verify/rfc6962.h"
#include "prover.h"

namespace optiks::ozks::verify::test {
namespace {

vrf::SecretKey make_key(std::uint8_t seed) {
  std::array<std::uint8_t, vrf::kKeySeedLen> octets;
  octets.fill(seed);
  auto key = vrf::SecretKey::from_seed(octets);
  OPTIKS_CHECK(key.ok());
  return std::move(key).value();
}

Hash to_hash(ByteSpan octets) {
  Hash hash;
  std::ranges::copy(octets, hash.begin());
  return hash;
}

}  // namespace

KeyDirectory::KeyDirectory(std::uint8_t vrf_seed, std::uint8_t structure)
    : key_(make_key(vrf_seed)), structure_(structure) {}

Bytes KeyDirectory::alpha(std::string_view key, std::uint64_t version) const {
  return Writer().integer(structure_, 1).vector(to_bytes(key), 1).integer(version, 8).get();
}

void KeyDirectory::put(std::string_view key, std::uint64_t epoch, std::string_view value) {
  put_version(key, latest(key, UINT64_MAX) + 1, epoch, value);
}

void KeyDirectory::put_version(std::string_view key, std::uint64_t version, std::uint64_t epoch,
                               std::string_view value) {
  Entry entry{{label(key, version), {}, epoch}, Bytes(16, next_opening_++), to_bytes(value)};
  entry.leaf.commitment = commitment_hash(entry.opening, entry.value);
  const bool inserted = entries_.try_emplace({std::string(key), version}, std::move(entry)).second;
  OPTIKS_CHECK(inserted);
}

Tree KeyDirectory::tree(std::uint64_t epoch) const {
  std::vector<Leaf> leaves;
  for (const auto& [name, entry] : entries_) {
    if (entry.leaf.epoch <= epoch) {
      leaves.push_back(entry.leaf);
    }
  }
  return Tree(std::move(leaves));
}

std::vector<Leaf> KeyDirectory::added_in(std::uint64_t epoch) const {
  std::vector<Leaf> leaves;
  for (const auto& [name, entry] : entries_) {
    if (entry.leaf.epoch == epoch) {
      leaves.push_back(entry.leaf);
    }
  }
  return leaves;
}

StateParts KeyDirectory::state(std::uint64_t epoch) const {
  const Tree at = tree(epoch);
  return {at.root(), at.count(), to_hash(public_key())};
}

std::uint64_t KeyDirectory::latest(std::string_view key, std::uint64_t epoch) const {
  std::uint64_t version = 0;
  for (const auto& [name, entry] : entries_) {
    if (name.first == key && entry.leaf.epoch <= epoch) {
      version = std::max(version, name.second);
    }
  }
  return version;
}

Hash KeyDirectory::label(std::string_view key, std::uint64_t version) const {
  Hash label;
  vrf::evaluate(key_, alpha(key, version), label);
  return label;
}

Bytes KeyDirectory::vrf_proof(std::string_view key, std::uint64_t version) const {
  Hash label;
  std::array<std::uint8_t, vrf::kProofLen> proof;
  vrf::prove(key_, alpha(key, version), label, proof);
  return to_bytes(proof);
}

MemberParts KeyDirectory::member(std::string_view key, std::uint64_t version, std::uint64_t epoch, bool opened) const {
  const Entry& entry = entries_.at({std::string(key), version});
  MemberParts member;
  member.vrf_proof = vrf_proof(key, version);
  member.epoch = entry.leaf.epoch;
  member.kind = opened ? 1 : 0;
  member.commitment = to_bytes(entry.leaf.commitment);
  member.opening = entry.opening;
  member.value = entry.value;
  member.path = tree(epoch).path_to(entry.leaf.label);
  return member;
}

NonMemberParts KeyDirectory::absent(std::string_view key, std::uint64_t version, std::uint64_t epoch) const {
  NonMemberParts proof = tree(epoch).absent(label(key, version));
  proof.vrf_proof = vrf_proof(key, version);
  return proof;
}

LookupParts KeyDirectory::lookup(std::string_view key, std::uint64_t epoch, std::uint64_t known) const {
  return lookup_at(key, latest(key, epoch), epoch, known);
}

LookupParts KeyDirectory::lookup_at(std::string_view key, std::uint64_t version, std::uint64_t epoch,
                                    std::uint64_t known) const {
  LookupParts lookup;
  lookup.version = version;
  const VersionSet rungs = ladder(version, known);
  for (const std::uint64_t rung : rungs.get()) {
    lookup.members.push_back(member(key, rung, epoch, rung == version));
  }
  const VersionSet absent_versions = next_rungs(version);
  for (const std::uint64_t v : absent_versions.get()) {
    lookup.absent.push_back(absent(key, v, epoch));
  }
  return lookup;
}

VersionsParts KeyDirectory::versions(std::string_view key, std::uint64_t epoch, std::uint64_t known,
                                     std::size_t max_members) const {
  VersionsParts versions;
  versions.version = latest(key, epoch);
  versions.from = known + 1;
  for (std::uint64_t v = known + 1; v <= versions.version && versions.members.size() < max_members; ++v) {
    versions.members.push_back(member(key, v, epoch, true));
  }
  if (versions.members.size() == versions.version - known) {
    const VersionSet absent_versions = next_rungs(versions.version);
    for (const std::uint64_t v : absent_versions.get()) {
      versions.absent.push_back(absent(key, v, epoch));
    }
  }
  return versions;
}

World::World() { publish(0); }

Hash World::log_id() const { return log_id_hash(configuration.encode(), log_key.public_key()); }

void World::publish(std::uint64_t last_epoch) {
  while (records_.size() <= last_epoch) {
    RecordParts record;
    record.log_id = log_id();
    record.epoch = records_.size();
    record.time_ms = kStartMs + 1000 * record.epoch;
    for (const std::uint8_t id : kStructures) {
      record.structures[structure_index(id)] = {
          empty_root(), 0, to_hash(KeyDirectory(static_cast<std::uint8_t>(100 + id)).public_key())};
    }
    record.structures[structure_index(kKeys)] = keys.state(record.epoch);
    if (record.epoch > 0) {
      record.previous = record_hash(records_.back().encode());
    }
    records_.push_back(record);
  }
}

std::vector<Hash> World::log_leaves(std::size_t size) const {
  std::vector<Hash> leaves;
  for (std::size_t i = 0; i < size; ++i) {
    leaves.push_back(log_leaf_hash(records_[i].encode()));
  }
  return leaves;
}

Checkpoint World::checkpoint_of(std::uint64_t size) const {
  return {size, log_root(log_leaves(static_cast<std::size_t>(size)))};
}

Bytes World::checkpoint(std::uint64_t size) const {
  const std::string origin(configuration.origin.begin(), configuration.origin.end());
  return to_bytes(signed_note(checkpoint_body(origin, size, checkpoint_of(size).root), origin, log_key));
}

HeadParts World::head(std::uint64_t epoch, std::uint64_t size, std::uint64_t kept_size) const {
  HeadParts head;
  head.record = record(epoch).encode();
  const std::vector<Hash> leaves = log_leaves(static_cast<std::size_t>(size));
  head.inclusion = log_inclusion(leaves, static_cast<std::size_t>(epoch));
  if (kept_size != size) {
    head.checkpoint = checkpoint(size);
    if (kept_size > 0) {
      head.consistency = log_consistency(leaves, static_cast<std::size_t>(kept_size));
    }
  }
  return head;
}

Context World::context() const {
  Context context;
  // The octets are replaced only if the configuration has changed, so that the views of earlier contexts stay valid.
  if (Bytes octets = configuration.encode(); octets != configuration_octets_) {
    configuration_octets_ = std::move(octets);
  }
  const Reason reason = make_anchor(configuration_octets_, log_key.public_key(), context.anchor);
  OPTIKS_CHECK(reason == Reason::kValid);
  context.ed25519 = ed25519_verify;
  context.now_ms = now_ms();
  return context;
}

Bytes World::audit(std::uint64_t a, std::uint64_t b) const {
  Writer records;
  std::vector<Leaf> added;
  for (std::uint64_t epoch = a; epoch <= b; ++epoch) {
    records.raw(record(epoch).encode());
    if (epoch > a) {
      std::ranges::copy(keys.added_in(epoch), std::back_inserter(added));
    }
  }
  Writer out;
  out.vector(records.get(), 3);
  for (const std::uint8_t id : kStructures) {
    out.raw((id == kKeys ? keys.tree(a).append(a, added) : AppendParts()).encode());
  }
  return out.get();
}

}  // namespace optiks::ozks::verify::test
