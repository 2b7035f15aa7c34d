#include "optiks/ozks/verify/reasons.h"

namespace optiks::ozks::verify {

const char* reason_name(std::int32_t reason) {
  for (const auto& [listed, name] : kReasonNames) {
    if (listed == static_cast<Reason>(reason)) {
      return name;
    }
  }
  return nullptr;
}

}  // namespace optiks::ozks::verify
