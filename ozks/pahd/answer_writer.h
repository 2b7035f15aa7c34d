// Writing the answers of docs/spec/pahd.md from a view.
//
// Thread safety: any thread, with a view that it holds. Nothing waits for the writer.
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

// write_lookups writes one Lookup a query; ends[i] is the end of the i-th. All VRF proofs that are not at hand are made
// in one batch; false when the source forbids that, with nothing written.
[[nodiscard]] bool write_lookups(const View& view, std::uint8_t structure, std::span<const LookupQuery> queries,
                                 const ProofSource& source, Output& out, std::uint64_t* ends);
// add_lookup adds to a batch what write_lookups will need for the query.
void add_lookup(const View& view, std::uint8_t structure, const LookupQuery& query, ProofBatch& batch);

struct VersionsQuery {
  ByteSpan key;
  std::uint64_t from;
  std::uint32_t max_members;
  std::size_t max_bytes;
};

// write_versions writes one Versions: the whole answer, or a page of it. The batch may be null.
void write_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, const ProofBatch* batch,
                    Output& out);
// add_versions adds to a batch what write_versions will need first for the query; of most answers that is all.
void add_versions(const View& view, std::uint8_t structure, const VersionsQuery& query, ProofBatch& batch);

}  // namespace optiks::ozks
