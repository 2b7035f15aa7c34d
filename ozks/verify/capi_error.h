// The one thing that the verifier's C functions need of the rest of the C ABI.
#pragma once

namespace optiks::ozks::capi {

// set_last_error: what optiks_last_error() gives on this thread from now on; "" after success. `text` has static
// lifetime. Defined beside optiks_last_error.
void set_last_error(const char* text) noexcept;

}  // namespace optiks::ozks::capi
