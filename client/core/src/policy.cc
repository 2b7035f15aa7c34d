#include "optiks/client/policy.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "optiks/base/check.h"
#include "optiks/ozks/verify/note.h"
#include "optiks/ozks/verify/text.h"

namespace optiks::client {
namespace {

// The deepest nesting of groups and the witness in the innermost one.
constexpr std::size_t kMaxGroupDepth = 64;
constexpr std::string_view kNone = "none";

using Fields = std::vector<std::string_view>;

Fields split(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  Fields fields;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return fields;
}

bool has_control(std::string_view line) {
  return std::ranges::any_of(octets_of(line), [](std::uint8_t c) { return (c < 0x20 && c != '\t') || c == 0x7F; });
}

}  // namespace

// Reads the lines of one policy. Names are octets that are only compared.
class PolicyParser {
 public:
  std::optional<Policy> parse(std::string_view text) {
    // A last line without a newline may be a part of the line that was meant.
    if (text.size() > Policy::kMaxLen || (!text.empty() && !text.ends_with('\n'))) {
      return std::nullopt;
    }
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end + 1);
      if (has_control(line)) {
        return std::nullopt;
      }
      const Fields fields = split(line);
      if (!fields.empty() && !fields[0].starts_with('#') && !take(fields)) {
        return std::nullopt;
      }
    }
    return has_quorum_ ? std::optional(std::move(policy_)) : std::nullopt;
  }

 private:
  bool take(const Fields& fields) {
    const std::size_t count = fields.size();
    if (fields[0] == "log" && (count == 2 || count == 3)) {
      return take_key(fields[1], ozks::verify::kKeyTypeLog, policy_.logs_);
    }
    if (fields[0] == "witness" && (count == 3 || count == 4)) {
      return take_key(fields[2], ozks::verify::kKeyTypeCosigner, policy_.witnesses_) &&
             define(fields[1], {.witness = policy_.witnesses_.size() - 1, .members = {}});
    }
    if (fields[0] == "group" && count >= 4) {
      return take_group(fields);
    }
    return fields[0] == "quorum" && count == 2 && take_quorum(fields[1]);
  }

  // Adds a key, unless an earlier line has the same public key: one signer with two names would count as two signers,
  // and a log that is its own witness could cosign its own checkpoints.
  bool take_key(std::string_view vkey, std::uint8_t type, std::vector<VerifierKey>& keys) {
    std::optional<VerifierKey> key = VerifierKey::parse(octets_of(vkey));
    const auto is_same = [&](const VerifierKey& other) { return other.public_key == key->public_key; };
    if (!key || key->type != type || std::ranges::any_of(policy_.logs_, is_same) ||
        std::ranges::any_of(policy_.witnesses_, is_same)) {
      return false;
    }
    keys.push_back(*std::move(key));
    return true;
  }

  bool take_group(const Fields& fields) {
    Policy::Rule rule;
    for (std::size_t i = 3; i < fields.size(); ++i) {
      const auto named = names_.find(fields[i]);
      if (named == names_.end() || !members_.insert(named->second).second) {
        return false;
      }
      rule.members.push_back(named->second);
      rule.depth = std::max(rule.depth, policy_.rules_[named->second].depth + 1);
    }
    const std::string_view threshold = fields[2];
    const std::size_t count = rule.members.size();
    const auto number = threshold == "any"   ? 1
                        : threshold == "all" ? count
                                             : ozks::verify::parse_decimal(octets_of(threshold)).value_or(0);
    if (number < 1 || number > count || rule.depth > kMaxGroupDepth) {
      return false;
    }
    rule.threshold = static_cast<std::size_t>(number);
    return define(fields[1], std::move(rule));
  }

  bool take_quorum(std::string_view name) {
    if (has_quorum_) {
      return false;
    }
    has_quorum_ = true;
    if (name == kNone) {
      return true;
    }
    const auto named = names_.find(name);
    if (named == names_.end()) {
      return false;
    }
    policy_.quorum_ = named->second;
    return true;
  }

  bool define(std::string_view name, Policy::Rule rule) {
    if (name == kNone || !names_.emplace(name, policy_.rules_.size()).second) {
      return false;
    }
    policy_.rules_.push_back(std::move(rule));
    return true;
  }

  Policy policy_;
  std::map<std::string_view, std::size_t> names_;  // the rule of each name
  std::set<std::size_t> members_;                  // rules that are members of a group
  bool has_quorum_ = false;
};

std::optional<Policy> Policy::parse(ByteSpan text) { return PolicyParser().parse(text_of(text)); }

bool Policy::is_met(const std::vector<bool>& cosigned) const {
  OPTIKS_CHECK(cosigned.size() == witnesses_.size());
  if (!quorum_) {
    return true;
  }
  std::vector<bool> met(*quorum_ + 1);
  for (std::size_t i = 0; i < met.size(); ++i) {
    const Rule& rule = rules_[i];
    const auto count = std::ranges::count_if(rule.members, [&](std::size_t member) { return met[member]; });
    met[i] = rule.members.empty() ? cosigned[rule.witness] : static_cast<std::size_t>(count) >= rule.threshold;
  }
  return met[*quorum_];
}

}  // namespace optiks::client
