// Helpers with which all functions of the C ABI keep contract rules 2, 3 and 6 of optiks.h.
#pragma once

#include <cerrno>
#include <new>
#include <system_error>

#include "directory/directory.h"
#include "optiks/optiks.h"

namespace optiks::ozks::capi {

// Copies `text`, which optiks_last_error() then returns on this thread. `text` is "" after success.
void set_last_error(const char* text) noexcept;

inline std::int32_t argument_error(const char* text) {
  set_last_error(text);
  return OPTIKS_E_ARGUMENT;
}

// Runs the body of a C ABI call and returns its status. If the body throws, sets the error text and returns the status
// for the exception.
template <typename Body>
std::int32_t guarded(Body body) noexcept {
  try {
    const std::int32_t status = body();
    if (status == OPTIKS_OK) {
      set_last_error("");
    }
    return status;
  } catch (const std::bad_alloc&) {
    set_last_error("out of memory");
    return OPTIKS_E_MEMORY;
  } catch (const DirectoryError& error) {
    set_last_error(error.what());
    return error.status();
  } catch (const std::system_error& error) {
    set_last_error(error.what());
    return OPTIKS_E_IO;
  } catch (const std::exception& error) {
    set_last_error(error.what());
    return OPTIKS_E_ARGUMENT;
  }
}

// Copies `octets` to the caller's buffer, as contract rule 4 says.
inline std::int32_t copy_out(ByteSpan octets, std::uint8_t* out, std::size_t capacity, std::size_t* out_len) {
  if (out_len == nullptr || (out == nullptr && capacity != 0)) {
    return argument_error("an output pointer is missing");
  }
  *out_len = octets.size();
  if (capacity < octets.size()) {
    set_last_error("the buffer is too small");
    return OPTIKS_E_BUFFER;
  }
  std::copy(octets.begin(), octets.end(), out);
  return OPTIKS_OK;
}

inline bool readable(const void* data, std::size_t len) { return data != nullptr || len == 0; }

// Reads the byte strings that the caller passes; returns false if the offsets violate contract rule 4.
inline bool read_strings(std::size_t n, const std::uint8_t* blob, const std::uint64_t* offsets, ByteStrings& out) {
  out = {n, blob, offsets};
  if (n == 0) {
    return true;
  }
  if (offsets == nullptr || offsets[0] != 0) {
    return false;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (offsets[i + 1] < offsets[i]) {
      return false;
    }
  }
  return blob != nullptr || offsets[n] == 0;
}

// Reads byte strings as read_strings() does; also returns false if a string is not a key.
inline bool read_keys(std::size_t n, const std::uint8_t* blob, const std::uint64_t* offsets, ByteStrings& out) {
  if (!read_strings(n, blob, offsets, out)) {
    return false;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (out[i].empty() || out[i].size() > kMaxKeyLen) {
      return false;
    }
  }
  return true;
}

}  // namespace optiks::ozks::capi
