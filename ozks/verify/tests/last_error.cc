// Stands where liboptiks defines optiks_last_error.
#include "capi_error.h"

namespace optiks::ozks::capi {

void set_last_error(const char* /*text*/) noexcept {}

}  // namespace optiks::ozks::capi
