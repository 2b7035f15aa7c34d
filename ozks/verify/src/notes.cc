#include "optiks/ozks/verify/notes.h"

#include "optiks/base/check.h"
#include "optiks/ozks/verify/codec.h"

namespace optiks::ozks::verify {
namespace {

struct NotedValue {
  ByteSpan payload;
  ByteSpan note;

  static NotedValue decode(Reader& reader) {
    NotedValue value;
    value.payload = reader.vector({0, kMax24});
    value.note = reader.take(kHashLen);
    return value;
  }
};

}  // namespace

Hash note_commitment(ByteSpan opening, ByteSpan note) {
  OPTIKS_CHECK(opening.size() == kOpeningLen);
  return tagged_hash(kTagNote, opening, note);
}

bool is_note_of(ByteSpan value, ByteSpan opening, ByteSpan note) {
  NotedValue noted;
  return decode_whole(value, noted) == Reason::kValid && equal(noted.note, note_commitment(opening, note));
}

}  // namespace optiks::ozks::verify
