// Witness policies: which witnesses are known, and whose cosignatures are enough (docs/spec/board.md section 7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "optiks/client/octets.h"
#include "optiks/client/verifier_key.h"

namespace optiks::client {

class Policy {
 public:
  static constexpr std::size_t kMaxLen = 65536;

  // Parses a policy. Returns nullopt if the policy is refused. A client asks no witness itself, so the URLs of a policy
  // are not kept.
  static std::optional<Policy> parse(ByteSpan text);

  // The logs that the policy names; usually none.
  [[nodiscard]] const std::vector<VerifierKey>& logs() const { return logs_; }
  // All witnesses, even those that the quorum does not count.
  [[nodiscard]] const std::vector<VerifierKey>& witnesses() const { return witnesses_; }
  // Returns true for `quorum none`: no cosignature is needed.
  [[nodiscard]] bool requires_none() const { return !quorum_; }
  // Returns whether the quorum is met. Element i of `cosigned`, which has as many elements as witnesses(), says whether
  // witness i has cosigned.
  [[nodiscard]] bool is_met(const std::vector<bool>& cosigned) const;

 private:
  friend class PolicyParser;

  // A witness, or a group with a threshold. Invariant: the members of a group have smaller indexes than the group, and
  // a rule is a member of at most one group.
  struct Rule {
    std::size_t witness = 0;           // if `members` is empty
    std::vector<std::size_t> members;  // indexes of rules
    std::size_t threshold = 0;
    std::size_t depth = 1;
  };

  std::vector<VerifierKey> logs_;
  std::vector<VerifierKey> witnesses_;
  std::vector<Rule> rules_;
  std::optional<std::size_t> quorum_;
};

}  // namespace optiks::client
