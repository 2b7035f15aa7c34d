// OPTIKS_TRY: passes the reason of a failed check on to the caller.
#pragma once

#include "optiks/ozks/verify/facts.h"

// Evaluates an expression of type Reason. If the reason is not kValid, the enclosing function returns it.
#define OPTIKS_TRY(check)                                                                              \
  do {                                                                                                 \
    if (const auto optiks_reason = (check); optiks_reason != ::optiks::ozks::verify::Reason::kValid) { \
      return optiks_reason;                                                                            \
    }                                                                                                  \
  } while (false)
