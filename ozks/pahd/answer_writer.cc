#include "pahd/answer_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <vector>

#include "optiks/ozks/verify/encode.h"
#include "pahd/lookup_plan.h"
#include "pahd/unmixed.h"

namespace optiks::ozks {
namespace {

constexpr std::uint64_t kProofBatch = 32;

// Plans a Versions structure: which versions it lists as members, and which versions it proves absent. The proofs are
// made in rounds, because max_bytes may end a page long before it has max_members members. The last round makes the
// proofs of its members and of the absent versions together.
struct VersionsPlan {
  VersionsPlan(const View& view, std::uint8_t structure, const VersionsQuery& query)
      : key(named_key(view.data(), structure, query.key)),
        latest(latest_version(view, key.tag, record)),
        // The plan lists no version after the latest. `from` may be the largest integer, so the subtraction comes after
        // the comparison.
        wanted(query.from > latest ? 0 : latest - query.from + 1),
        listed(std::min<std::uint64_t>(wanted, query.max_members)) {}

  // Adds the labels of the next round to `labels`, which is a LabelProver or ProofBatch. `written` members were already
  // written. Returns the number of members in the round. If the round has the last wanted member, it also has the
  // absent versions.
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
  LeafRecord record;  // record of the latest version
  std::uint64_t latest;
  std::uint64_t wanted;
  std::uint64_t listed;
};

bool write_lookups_once(const View& view, std::uint8_t structure, std::span<const LookupQuery> queries,
                        const ProofBatch* batch, Output& out, std::uint64_t* ends) {
  const DirectoryData& data = view.data();
  // For a few queries this memory is large enough, so that the call allocates no memory on the heap.
  std::array<std::byte, 4096> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<LookupPlan> plans(queries.size(), &memory);
  std::pmr::vector<TagInput> inputs(&memory);
  inputs.reserve(queries.size());
  for (const LookupQuery& query : queries) {
    inputs.push_back({structure, query.key});
  }
  std::pmr::vector<Tag> keys(queries.size(), &memory);
  data.secrets.tag_keys[structure_index(structure)].tag_many(inputs, keys);
  // This call prefetches the memory for all keys, so that each key does not wait for its own memory.
  data.trees->prefetch_newest(data.log, keys);
  LabelProver labels(view.data(), batch, memory);
  // Most keys need two labels: one of a present version and one of an absent version.
  labels.reserve(2 * queries.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const LookupQuery& query = queries[i];
    plans[i].make(view, {structure, query.key, keys[i]}, {query.known_period, query.known_version}, labels);
  }
  if (!labels.run()) {
    return false;
  }
  ProofWriter writer(view, labels, out);
  std::size_t next = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i].write(writer, next, out);
    ends[i] = out.size();
  }
  return true;
}

void write_versions_once(const View& view, std::uint8_t structure, const VersionsQuery& query, const ProofBatch& batch,
                         Output& out);

}  // namespace

bool write_lookups(const View& view, std::uint8_t structure, std::span<const LookupQuery> queries,
                   const ProofBatch* batch, Output& out, std::uint64_t* ends) {
  check_can_answer(view);
  bool has_proofs = false;
  write_unmixed(view.data().log, out,
                [&] { has_proofs = write_lookups_once(view, structure, queries, batch, out, ends); });
  return has_proofs;
}

void add_lookup(const View& view, std::uint8_t structure, const LookupQuery& query, ProofBatch& batch) {
  const NamedKey key = named_key(view.data(), structure, query.key);
  LookupPlan().make(view, key, {query.known_period, query.known_version}, batch);
}

void write_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, const ProofBatch& batch,
                    Output& out) {
  check_can_answer(view);
  write_unmixed(view.data().log, out, [&] { write_versions_once(view, structure, query, batch, out); });
}

namespace {

void write_versions_once(const View& view, std::uint8_t structure, const VersionsQuery& query, const ProofBatch& batch,
                         Output& out) {
  const VersionsPlan plan(view, structure, query);
  // The labels and the writer of the current round.
  std::optional<LabelProver> labels;
  std::optional<ProofWriter> writer;
  std::size_t next = 0;
  std::uint64_t written = 0;
  const auto members = [&] {
    for (bool is_done = false; !is_done;) {
      labels.emplace(view.data(), &batch, *std::pmr::new_delete_resource());
      const std::uint64_t num_members = plan.add_round(query, written, *labels);
      static_cast<void>(labels->run());
      writer.emplace(view, *labels, out);
      next = 0;
      while (next < num_members && (written == 0 || out.size() < query.max_bytes)) {
        const bool is_latest = query.from + written == plan.latest;
        writer->member(next++, true, !is_latest, is_latest ? &plan.record : nullptr);
        ++written;
      }
      is_done = next < num_members || written == plan.listed;
    }
  };
  // If the last wanted member was written, the labels that are left in its round are those of the absent versions.
  const auto absent = [&] { writer->non_members(next, written == plan.wanted ? labels->size() - next : 0); };
  verify::encode_versions(out, plan.latest, query.from, members, absent);
}

}  // namespace

void add_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, ProofBatch& batch) {
  VersionsPlan(view, structure, query).add_round(query, 0, batch);
}

}  // namespace optiks::ozks
