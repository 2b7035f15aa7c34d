// Decodes effects, the replies to them, and prefix proofs. An accepted input must be the encoding of its value.
#include <algorithm>

#include "optiks/base/check.h"
#include "optiks/client/effects.h"
#include "optiks/client/tiles.h"

using namespace optiks::client;

namespace {

void check_encoding(ByteSpan input, ByteSpan encoded) { OPTIKS_CHECK(std::ranges::equal(input, encoded)); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const ByteSpan input(data + 1, size - 1);
  if (const auto effect = Effect::decode(input)) {
    check_encoding(input, effect->encode());
  }
  if (const auto reply = HttpReply::decode(input)) {
    check_encoding(input, reply->encode());
  }
  if (const auto reply = LoadReply::decode(input, data[0])) {
    check_encoding(input, reply->encode());
  }
  if (const auto reply = CommitReply::decode(input)) {
    check_encoding(input, reply->encode());
  }
  if (const auto proof = PrefixProof::parse(input)) {
    check_encoding(input, octets_of(proof->text()));
  }
  return 0;
}
