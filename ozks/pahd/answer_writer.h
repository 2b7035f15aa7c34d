// Writes the answers of docs/spec/pahd.md from a view.
//
// Thread safety: any thread that holds a view may call these functions. No call waits for the writer.
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

// Writes one Lookup for each query. ends[i] is the end of Lookup i in the output. VRF proofs come from a LabelProver
// for `batch`. If `batch` is null and a proof is not cached, returns false and writes nothing.
[[nodiscard]] bool write_lookups(const View& view, std::uint8_t structure, std::span<const LookupQuery> queries,
                                 const ProofBatch* batch, Output& out, std::uint64_t* ends);
// Adds to the batch the labels that write_lookups() will need for the query.
void add_lookup(const View& view, std::uint8_t structure, const LookupQuery& query, ProofBatch& batch);

struct VersionsQuery {
  ByteSpan key;
  std::uint64_t from;
  std::uint32_t max_members;
  std::size_t max_bytes;
};

// Writes one Versions structure: the whole answer, or a page of it. `batch` has proofs that were already made.
void write_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, const ProofBatch& batch,
                    Output& out);
// Adds to the batch the labels of the first round of write_versions() for the query. Most answers need no other labels.
void add_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, ProofBatch& batch);

}  // namespace optiks::ozks
