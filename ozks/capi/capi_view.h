// The handles of views, and of batches of proofs for several answers from one view.
#pragma once

#include <memory>
#include <utility>

#include "capi_guard.h"
#include "directory/data.h"
#include "optiks/optiks.h"
#include "pahd/output.h"
#include "pahd/proof_batch.h"

struct optiks_view {
  explicit optiks_view(std::shared_ptr<optiks::ozks::DirectoryData> data) : view(std::move(data)) {}
  optiks::ozks::View view;
};

struct optiks_proofs {
  optiks_proofs(const optiks_view& view, std::uint8_t of_structure, bool uses_cache)
      : of(view), structure(of_structure), batch(view.view.data(), uses_cache) {}
  const optiks_view& of;
  std::uint8_t structure;  // the structure of the keys, in answers about keys
  optiks::ozks::ProofBatch batch;
};

namespace optiks::ozks::capi {

// Ends a call that wrote an answer to the caller's buffer, as contract rule 4 says.
inline std::int32_t finish_output(const Output& output, std::size_t* out_len) {
  *out_len = output.size();
  if (!output.fits()) {
    set_last_error("the buffer is too small");
    return OPTIKS_E_BUFFER;
  }
  return OPTIKS_OK;
}

}  // namespace optiks::ozks::capi
