// AnswerRow: the part that rows of tests/vectors/users and tests/vectors/periods have in common. It has the client's
// kept state of the log, and the answer.
#pragma once

#include <deque>

#include "optiks/base/sha256.h"
#include "optiks/ozks/verify/answers.h"
#include "optiks/ozks/verify/handover.h"
#include "prover.h"
#include "vectors.h"

namespace optiks::ozks::verify::test {

inline std::uint64_t number(const Json& value) { return value.get<std::uint64_t>(); }

inline Known known_of(const Json& given) {
  Known known;
  known.period = number(given["period"]);
  known.version = number(given["version"]);
  known.has_absent = !given["absent_at"].is_null();
  known.absent_epoch = known.has_absent ? number(given["absent_at"]) : 0;
  if (given.contains("page_time") && !given["page_time"].is_null()) {
    known.time = number(given["page_time"]);
    known.page_version = number(given["page_version"]);
  }
  return known;
}

class AnswerRow {
 protected:
  AnswerRow(const Json& anchors, const Json& vector) : vector_(vector) {
    const Json& anchor = anchors[vector["anchor"].get<std::size_t>()];
    EXPECT_EQ(name_of(make_anchor(keep(anchor["configuration"]), keep(anchor["log_key"]), context_.anchor)), "valid");
    context_.ed25519 = ed25519_verify;
    context_.now_ms = number(vector["now_ms"]);
    if (vector.contains("checkpoint")) {
      context_.kept_checkpoint.emplace().size = number(vector["checkpoint"]["size"]);
      std::ranges::copy(keep(vector["checkpoint"]["root"]), context_.kept_checkpoint->root.begin());
    }
    if (vector.contains("record")) {
      context_.kept_record.emplace().record = read_record(keep(vector["record"]));
    }
    if (vector.contains("period_record")) {
      context_.kept_record->period_start = read_record(keep(vector["period_record"]));
    }
    if (vector.contains("ended_record")) {
      context_.ended_record = read_record(keep(vector["ended_record"]));
    }
    answer_ = keep(vector["answer"]);
  }

  // Returns the owner's kept state of a key at the end of a period.
  EndState end_of(const Json& given) {
    EndState end{number(given["period"]), number(given["last_epoch"]), number(given["version"]), {}};
    if (!given["value"].is_null()) {
      base::sha256(end.value_sha256, keep(given["value"]));
    }
    return end;
  }

  // Decodes hexadecimal octets and keeps them as long as the row exists.
  ByteSpan keep(const Json& hex) { return kept_.emplace_back(from_hex(hex)); }

  const Json& vector_;
  // A deque does not move its elements, so views of them stay valid.
  std::deque<Bytes> kept_;
  Context context_;
  ByteSpan answer_;
};

}  // namespace optiks::ozks::verify::test
