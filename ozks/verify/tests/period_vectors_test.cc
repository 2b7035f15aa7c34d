// Tests the verdicts on the vectors of the Python reference about periods (tests/vectors/periods): bounds, answers
// about ended periods, and hand-overs.
#include <gtest/gtest.h>

#include <map>

#include "answer_row.h"
#include "optiks/ozks/verify/periods.h"

namespace optiks::ozks::verify::test {
namespace {

// One row of the vectors. It has the client's kept state, and the expected verdict.
class PeriodRow : private AnswerRow {
 public:
  PeriodRow(const Json& anchors, const Json& vector) : AnswerRow(anchors, vector) {}

  Reason periods() {
    PeriodsResult result;
    const Reason reason = verify_periods(context_, number(vector_["period"]), answer_, result);
    if (reason == Reason::kValid) {
      std::vector<std::uint64_t> epochs;
      for (const ByteSpan bound : std::span(result.bounds).first(result.num_bounds)) {
        epochs.push_back(read_record(bound).epoch);
      }
      EXPECT_EQ(epochs, vector_["results"].get<std::vector<std::uint64_t>>());
    }
    return reason;
  }

  Reason versions() {
    const Json& keys = vector_["keys"];
    VersionsAnswerVerifier verifier;
    Reason reason = verifier.begin(context_, answer_, keys.size());
    if (reason != Reason::kValid) {
      return reason;
    }
    std::vector<VersionEntry> entries(verifier.num_entries());
    std::span<VersionEntry> room = entries;
    std::vector<VersionsResult> results(keys.size());
    std::vector<std::span<const VersionEntry>> lists;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      reason = verifier.next(keep(keys[i]), state_of(i), room, results[i]);
      if (reason != Reason::kValid) {
        return reason;
      }
      lists.push_back(room.first(results[i].num_entries));
      room = room.subspan(results[i].num_entries);
      EXPECT_EQ(results[i].version, latest_of(i).value_or(results[i].version));
    }
    const EpochRecord& record = verifier.head().record;
    for (std::size_t i = 0; i < keys.size() && reason == Reason::kValid; ++i) {
      if (vector_.contains("ends") && !vector_["ends"][i].is_null() && results[i].from == 1) {
        reason = check_handover({record.period, record.period_first_epoch}, lists[i], end_of(vector_["ends"][i]));
      }
    }
    return reason;
  }

 private:
  KeyState state_of(std::size_t i) {
    KeyState state;
    if (vector_.contains("least_epoch")) {
      state.least_epoch = number(vector_["least_epoch"][i]);
    }
    if (vector_.contains("known") && !vector_["known"][i].is_null()) {
      state.known = known_of(vector_["known"][i]);
    }
    return state;
  }

  [[nodiscard]] std::optional<std::uint64_t> latest_of(std::size_t i) const {
    if (!vector_.contains("results")) {
      return std::nullopt;
    }
    return number(vector_["results"][i]["version"]);
  }
};

void run(const std::string& path, std::size_t least_rows, int least_valid, std::size_t least_reasons) {
  const Json file = load_vectors(path);
  EXPECT_GE(file["vectors"].size(), least_rows);
  std::map<std::string, int> seen;
  for (const Json& vector : file["vectors"]) {
    const auto form = vector["form"].get<std::string>();
    SCOPED_TRACE(form + " " + vector["kind"].get<std::string>());
    PeriodRow row(file["anchors"], vector);
    const std::string reason = name_of(form == "periods" ? row.periods() : row.versions());
    EXPECT_EQ(reason, vector["reason"].get<std::string>());
    ++seen[reason];
  }
  EXPECT_GE(seen["valid"], least_valid);
  EXPECT_GE(seen.size(), least_reasons);
}

TEST(PeriodVectors, Bounds) { run("periods/bounds.json", 76, 27, 17); }
TEST(PeriodVectors, Handover) { run("periods/handover.json", 49, 19, 10); }

}  // namespace
}  // namespace optiks::ozks::verify::test
