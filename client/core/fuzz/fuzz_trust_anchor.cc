// Reads a trust anchor, a policy and a note. A key that is accepted must be written as it was read.
#include "optiks/base/check.h"
#include "optiks/client/signed_checkpoint.h"
#include "optiks/client/trust_anchor.h"

using namespace optiks::client;

namespace {

void check_key(const VerifierKey& key) { OPTIKS_CHECK(VerifierKey::parse(octets_of(key.vkey())) == key); }

// Accepts every signature, so that the octets after a signature are fuzzed too.
bool accept_any_signature(ByteSpan /*public_key*/, ByteSpan /*message*/, ByteSpan /*signature*/) { return true; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input(data, size);
  std::optional<TrustAnchor> anchor;
  const char* why = nullptr;
  const auto reason = TrustAnchor::read(input, anchor, why);
  OPTIKS_CHECK((reason == optiks::ozks::verify::Reason::kValid) == anchor.has_value() && why != nullptr);
  if (anchor) {
    check_key(anchor->log_key());
    for (const VerifierKey& key : anchor->cosigners()) {
      check_key(key);
    }
  }
  if (const auto policy = Policy::parse(input)) {
    const std::vector<bool> none(policy->witnesses().size());
    OPTIKS_CHECK(policy->is_met(none) == policy->requires_none());
    OPTIKS_CHECK(policy->is_met(std::vector<bool>(none.size(), true)));
  }
  static const VerifierKey log =  // the log of tests/vectors/tlog
      *VerifierKey::parse(octets_of("optiks.example/log+58b9a3f9+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"));
  SignedCheckpoint opened;
  if (SignedCheckpoint::open(input, log, {}, accept_any_signature, opened) == optiks::ozks::verify::Reason::kValid) {
    SignedCheckpoint again;
    OPTIKS_CHECK(SignedCheckpoint::open(octets_of(opened.note()), log, {}, accept_any_signature, again) ==
                 optiks::ozks::verify::Reason::kValid);
    OPTIKS_CHECK(again.text == opened.text && again.log_line == opened.log_line);
  }
  return 0;
}
