// Tests the C ABI calls that verify whole answers against the vectors of the Python reference (tests/vectors/lookup).
#include <gtest/gtest.h>

#include <map>

#include "optiks/optiks.h"
#include "verify/tests/prover.h"
#include "verify/tests/vectors.h"

namespace optiks::ozks::verify::test {
namespace {

// One row of the vectors: the client's input, in the types of the C ABI.
class Row {
 public:
  Row(const Json& anchors, const Json& vector) : vector_(vector) {
    const Json& anchor = anchors[vector["anchor"].get<std::size_t>()];
    configuration_ = from_hex(anchor["configuration"]);
    context_.anchor.configuration = configuration_.data();
    context_.anchor.configuration_len = configuration_.size();
    std::ranges::copy(from_hex(anchor["log_key"]), context_.anchor.log_public_key);
    log_id_ = from_hex(anchor["log_id"]);
    context_.now_ms = vector["now_ms"].get<std::uint64_t>();
    if (vector.contains("checkpoint")) {
      context_.kept_size = vector["checkpoint"]["size"].get<std::uint64_t>();
      std::ranges::copy(from_hex(vector["checkpoint"]["root"]), context_.kept_root);
    }
    if (vector.contains("record")) {
      kept_record_ = from_hex(vector["record"]);
      context_.kept_record = kept_record_.data();
    }
    if (vector.contains("period_record")) {
      period_record_ = from_hex(vector["period_record"]);
      context_.kept_period_record = context_.kept_record == nullptr ? nullptr : period_record_.data();
    }
    answer_ = from_hex(vector["answer"]);
    read_keys();
  }

  void check_log_id() const {
    std::int32_t reason = -1;
    Bytes log_id(32);
    ASSERT_EQ(optiks_verify_anchor(&context_.anchor, &reason, log_id.data()), OPTIKS_OK);
    EXPECT_EQ(reason, 0);
    EXPECT_EQ(log_id, log_id_);
  }

  std::int32_t lookup() {
    std::int32_t reason = -1;
    std::size_t failed = 0;
    optiks_head_result_t head{};
    std::vector<optiks_lookup_result_t> results(known_.size());
    EXPECT_EQ(optiks_verify_lookup(&context_, known_.size(), keys_.data(), offsets_.data(), known_.data(),
                                   answer_.data(), answer_.size(), &reason, &failed, &head, results.data()),
              OPTIKS_OK);
    for (std::size_t i = 0; reason == 0 && i < results.size(); ++i) {
      check_lookup(results[i], known_[i], vector_["results"][i]);
    }
    return reason;
  }

  std::int32_t versions() {
    std::vector<optiks_versions_result_t> results(known_.size());
    std::vector<optiks_version_entry_t> entries;
    optiks_versions_verdict_t verdict{};
    verdict.reason = -1;
    verdict.results = results.data();
    std::int32_t status = OPTIKS_E_BUFFER;
    for (int attempt = 0; attempt < 2 && status == OPTIKS_E_BUFFER; ++attempt) {
      entries.resize(verdict.num_entries);
      verdict.entries = entries.data();
      verdict.entries_capacity = entries.size();
      status = optiks_verify_versions(&context_, known_.size(), keys_.data(), offsets_.data(), known_.data(),
                                      answer_.data(), answer_.size(), &verdict);
    }
    EXPECT_EQ(status, OPTIKS_OK);
    std::size_t at = 0;
    for (std::size_t i = 0; verdict.reason == 0 && i < results.size(); ++i) {
      check_versions(results[i], std::span(entries).subspan(at, results[i].num_entries), vector_["results"][i]);
      at += results[i].num_entries;
    }
    return verdict.reason;
  }

  std::int32_t audit() {
    const Bytes stored = from_hex(vector_["stored"]);
    std::int32_t reason = -1;
    std::uint32_t structures = 0;
    Bytes record(kRecordLen);
    EXPECT_EQ(optiks_verify_audit(&context_, stored.data(), period_record_.data(), answer_.data(), answer_.size(),
                                  &reason, record.data(), &structures),
              OPTIKS_OK);
    std::uint32_t expected = 0;
    for (const Json& structure : vector_.value("structures", Json::array())) {
      expected |= 1U << structure_index(structure.get<std::uint8_t>());
    }
    EXPECT_EQ(structures, expected);
    return reason;
  }

 private:
  void read_keys() {
    offsets_.push_back(0);
    if (!vector_.contains("keys")) {
      return;
    }
    for (std::size_t i = 0; i < vector_["keys"].size(); ++i) {
      const Bytes key = from_hex(vector_["keys"][i]);
      keys_.insert(keys_.end(), key.begin(), key.end());
      offsets_.push_back(keys_.size());
      optiks_known_t known{};
      if (vector_.contains("least_epoch")) {
        known.least_epoch = vector_["least_epoch"][i].get<std::uint64_t>();
      }
      if (vector_.contains("known") && !vector_["known"][i].is_null()) {
        const Json& given = vector_["known"][i];
        known.period = given["period"].get<std::uint64_t>();
        known.version = given["version"].get<std::uint64_t>();
        known.has_absent = given["absent_at"].is_null() ? 0 : 1;
        known.absent_epoch = given["absent_at"].is_null() ? 0 : given["absent_at"].get<std::uint64_t>();
        known.time = given["page_time"].is_null() ? 0 : given["page_time"].get<std::uint64_t>();
        known.page_version = given["page_version"].get<std::uint64_t>();
      }
      known_.push_back(known);
    }
  }

  void check_value(const Json& expected, bool has_value, std::size_t offset, std::size_t len) const {
    ASSERT_EQ(has_value, !expected.is_null());
    if (has_value) {
      ASSERT_LE(offset + len, answer_.size());
      EXPECT_EQ(base::to_hex(ByteSpan(answer_).subspan(offset, len)), expected.get<std::string>());
    }
  }

  void check_lookup(const optiks_lookup_result_t& result, const optiks_known_t& known, const Json& expected) const {
    EXPECT_EQ(result.version, expected["version"].get<std::uint64_t>());
    EXPECT_EQ(result.time, expected["time"].is_null() ? known.time : expected["time"].get<std::uint64_t>());
    const Json& values = expected["values"];
    EXPECT_EQ(result.has_value != 0, !values.empty());
    if (!values.empty()) {
      check_value(values[std::to_string(result.version)], result.has_value != 0, result.value_offset, result.value_len);
    }
  }

  void check_versions(const optiks_versions_result_t& result, std::span<const optiks_version_entry_t> entries,
                      const Json& expected) const {
    EXPECT_EQ(result.version, expected["version"].get<std::uint64_t>());
    EXPECT_EQ(result.complete != 0, expected["complete"].get<bool>());
    ASSERT_EQ(entries.size(), expected["values"].size());
    for (const auto& entry : entries) {
      check_value(expected["values"][std::to_string(entry.version)], entry.has_value != 0, entry.value_offset,
                  entry.value_len);
    }
    if (!entries.empty() && !expected["time"].is_null()) {
      EXPECT_EQ(entries.back().time, expected["time"].get<std::uint64_t>());
    }
  }

  const Json& vector_;
  Bytes configuration_;
  Bytes log_id_;
  Bytes kept_record_;
  Bytes period_record_;
  Bytes answer_;
  Bytes keys_;
  std::vector<std::uint64_t> offsets_;
  std::vector<optiks_known_t> known_;
  optiks_context_t context_{};
};

void run(const std::string& path, std::size_t least_rows, std::size_t least_reasons) {
  const Json file = load_vectors(path);
  EXPECT_GE(file["vectors"].size(), least_rows);
  std::map<std::string, int> seen;
  for (const Json& vector : file["vectors"]) {
    SCOPED_TRACE(vector["form"].get<std::string>() + " " + vector["kind"].get<std::string>());
    Row row(file["anchors"], vector);
    row.check_log_id();
    const auto form = vector["form"].get<std::string>();
    const std::int32_t reason = form == "lookup" ? row.lookup() : form == "audit" ? row.audit() : row.versions();
    const char* name = reason_name(reason);
    ASSERT_NE(name, nullptr);
    EXPECT_EQ(name, vector["reason"].get<std::string>());
    ++seen[name];
  }
  EXPECT_GE(seen["valid"], 5);
  EXPECT_GE(seen.size(), least_reasons);
}

TEST(AnswerVectors, Lookup) { run("lookup/lookup.json", 329, 44); }
TEST(AnswerVectors, Versions) { run("lookup/versions.json", 121, 19); }
TEST(AnswerVectors, PeriodsAndAudit) { run("lookup/periods_and_audit.json", 93, 27); }

}  // namespace
}  // namespace optiks::ozks::verify::test
