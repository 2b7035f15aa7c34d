// Trust anchors: the log that a client trusts, and the auditors and witnesses on which it relies (docs/spec/records.md
// section 1, docs/spec/cosigners.md section 2).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optiks/client/octets.h"
#include "optiks/client/policy.h"
#include "optiks/client/verifier_key.h"
#include "optiks/ozks/verify/record.h"

namespace optiks::client {

struct TrustedAuditor {
  VerifierKey key;
  std::uint64_t first_epoch = 0;
};

struct AuditorPolicy {
  std::size_t required = 0;  // the number of auditors that must cover an epoch
  std::uint64_t max_lag_ms = 0;
  std::vector<TrustedAuditor> auditors;
};

// A trust anchor owns its octets. It can be moved, which leaves the views of `log` valid.
class TrustAnchor {
 public:
  // The most auditors of a trust anchor, and the most witnesses.
  static constexpr std::size_t kMaxCosigners = 32;
  // The longest file: a configuration and the lines of a policy fit.
  static constexpr std::size_t kMaxFileLen = std::size_t{16} << 20;

  // Reads a trust anchor's file. If the file is refused, returns the reason and sets `why` to a sentence for people,
  // which is a literal.
  static ozks::verify::Reason read(ByteSpan file, std::optional<TrustAnchor>& out, const char*& why);

  TrustAnchor(TrustAnchor&&) = default;
  TrustAnchor& operator=(TrustAnchor&&) = default;
  TrustAnchor(const TrustAnchor&) = delete;
  TrustAnchor& operator=(const TrustAnchor&) = delete;
  ~TrustAnchor() = default;

  // The verifier's anchor, with views into this object.
  [[nodiscard]] const ozks::verify::Anchor& log() const { return log_; }
  [[nodiscard]] const VerifierKey& log_key() const { return log_key_; }
  // Absent if the client relies on no auditors; then no answer counts as audited.
  [[nodiscard]] const std::optional<AuditorPolicy>& auditors() const { return auditors_; }
  // Absent if the client relies on no witnesses.
  [[nodiscard]] const std::optional<Policy>& witnesses() const { return witnesses_; }
  // Whether an answer counts only after witnesses have cosigned a checkpoint that covers it.
  [[nodiscard]] bool needs_witnesses() const { return witnesses_ && !witnesses_->requires_none(); }
  // The keys of all auditors, and then of all witnesses.
  [[nodiscard]] std::vector<VerifierKey> cosigners() const;

 private:
  TrustAnchor() = default;

  Bytes octets_;  // the configuration and the log's public key
  ozks::verify::Anchor log_;
  VerifierKey log_key_;
  std::optional<AuditorPolicy> auditors_;
  std::optional<Policy> witnesses_;
};

}  // namespace optiks::client
