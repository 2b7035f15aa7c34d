// Verifies a checkpoint. If the verifier accepts the note, its first two lines must be the origin and the size that the
// verifier returned.
#include <string>

#include "fuzz_support.h"
#include "optiks/base/check.h"

using namespace optiks::ozks::verify;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan note(data, size);
  const Context context = fuzz::context_for({});
  const ByteSpan origin = context.anchor.configuration.origin;
  Checkpoint checkpoint;
  const Reason reason =
      verify_checkpoint(note, origin, context.anchor.log_public_key, fuzz::accept_any_signature, checkpoint);
  fuzz::check_reason(reason);
  if (reason == Reason::kValid) {
    const std::string head = std::string(origin.begin(), origin.end()) + "\n" + std::to_string(checkpoint.size) + "\n";
    OPTIKS_CHECK(note.size() > head.size() &&
                 equal(note.first(head.size()), {reinterpret_cast<const std::uint8_t*>(head.data()), head.size()}));
  }
  return 0;
}
