#include "fuzz_support.h"

#include <algorithm>

#include "optiks/base/check.h"

namespace optiks::ozks::verify::fuzz {
namespace {

// The configuration and the log key of anchor 0 in tests/vectors/lookup.
constexpr std::uint8_t kConfiguration[] = {
    0x00, 0x01, 0x00, 0x01, 0x12, 'e',  'x',  'a',  'm',  'p',  'l',  'e',  '.',  'c',  'o',  'm',  '/',  'o',
    'p',  't',  'i',  'k',  's',  0x00, 0x00, 0x00, 0x01, 0xCF, 0x7C, 0x58, 0x00, 0x02, 0x00, 0xFF, 0x00, 0x01,
    0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0xEA, 0x60, 0x00, 0x00, 0xEA, 0x60, 0x00, 0x04, 0x93, 0xE0};
constexpr std::uint8_t kLogKey[] = {0xDF, 0x36, 0x18, 0x98, 0xAA, 0xAA, 0x4E, 0x37, 0x21, 0x7B, 0x0A,
                                    0x9D, 0x59, 0xEB, 0x22, 0x44, 0x37, 0x94, 0xAB, 0x0A, 0x46, 0x97,
                                    0x93, 0xC3, 0xDF, 0x82, 0x83, 0x27, 0x54, 0x37, 0xBD, 0x7B};

}  // namespace

Context context_for(ByteSpan record) {
  Context context;
  const Reason reason = make_anchor(kConfiguration, kLogKey, context.anchor);
  OPTIKS_CHECK(reason == Reason::kValid);
  context.ed25519 = accept_any_signature;
  if (record.size() >= kRecordLen) {
    const EpochRecord parsed = read_record(record.first(kRecordLen));
    std::ranges::copy(parsed.log_id, context.anchor.log_id.begin());
    context.now_ms = parsed.time_ms;
  }
  return context;
}

void check_reason(Reason reason) { OPTIKS_CHECK(reason_name(static_cast<std::int32_t>(reason)) != nullptr); }

bool within(ByteSpan input, ByteSpan view) {
  return view.empty() || (view.data() >= input.data() && view.data() + view.size() <= input.data() + input.size());
}

}  // namespace optiks::ozks::verify::fuzz
