// Decodes keys and bodies of records. An accepted input must be the encoding of its value.
#include <algorithm>

#include "optiks/base/check.h"
#include "optiks/client/record_key.h"
#include "optiks/client/records.h"

using namespace optiks::client::state;

namespace {

template <typename... Record>
void check_records(optiks::client::ByteSpan input) {
  const auto check = [&](auto record) {
    if (decltype(record)::decode(input, record) == RecordFault::kNone) {
      const auto encoded = record.encode();
      OPTIKS_CHECK(encoded && std::ranges::equal(input, *encoded));
    }
  };
  (check(Record()), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const optiks::client::ByteSpan input(data, size);
  RecordKey key;
  if (RecordKey::decode(input, key) == RecordFault::kNone) {
    OPTIKS_CHECK(std::ranges::equal(input, key.encode()));
  }
  check_records<Head, End, Cosigners, Unaudited, OwnIndex, Chain, Value, List, Name, Person, Leaves, Leaf, Note, Fork>(
      input);
  return 0;
}
