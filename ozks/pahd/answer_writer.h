// Writes the answers of docs/spec/pahd.md from a view.
//
// Thread safety: any thread, with a view that it holds. No call waits for the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "directory/data.h"
#include "pahd/label_prover.h"
#include "pahd/output.h"

namespace optiks::ozks {

struct LookupQuery {
  ByteSpan key;
  std::uint64_t known_period;
  std::uint64_t known_version;
};

// Writes one Lookup for each query; ends[i] is the end of the i-th Lookup. All missing VRF proofs are made in one
// batch. If a proof is missing that the source may not make, returns false and writes nothing.
[[nodiscard]] bool write_lookups(const View& view, std::uint8_t structure, std::span<const LookupQuery> queries,
                                 const ProofSource& source, Output& out, std::uint64_t* ends);
// Adds the labels that write_lookups will need for the query to a batch.
void add_lookup(const View& view, std::uint8_t structure, const LookupQuery& query, ProofBatch& batch);

struct VersionsQuery {
  ByteSpan key;
  std::uint64_t from;
  std::uint32_t max_members;
  std::size_t max_bytes;
};

// Writes one Versions: the whole answer, or a page of it. The batch may be null.
void write_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, const ProofBatch* batch,
                    Output& out);
// Adds the labels that write_versions will need first for the query to a batch. Most answers need no other labels.
void add_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, ProofBatch& batch);

}  // namespace optiks::ozks
