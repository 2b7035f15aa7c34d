// Implements the sections of optiks.h on the library, and on hashes and keys.
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "capi_guard.h"
#include "names/username.h"
#include "optiks/base/kernel.h"
#include "optiks/base/secret.h"
#include "optiks/ozks/verify/reasons.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks::capi {
namespace {

thread_local std::array<char, 256> last_error{};

}  // namespace

void set_last_error(const char* text) noexcept {
  const std::size_t len = std::min(std::strlen(text), last_error.size() - 1);
  std::copy_n(text, len, last_error.begin());
  last_error[len] = '\0';
}

}  // namespace optiks::ozks::capi

using namespace optiks::ozks;
using namespace optiks::ozks::capi;
namespace base = optiks::base;
namespace vrf = optiks::vrf;

namespace {

std::int32_t key_error() {
  set_last_error("not a valid key");
  return OPTIKS_E_KEY;
}

}  // namespace

extern "C" {

std::uint32_t optiks_abi_version(void) { return OPTIKS_ABI_VERSION; }

std::size_t optiks_sizeof(const char* name) {
  struct Size {
    std::string_view name;
    std::size_t size;
  };
  static constexpr Size kSizes[] = {
      {"optiks_leaf_t", sizeof(optiks_leaf_t)},
      {"optiks_dir_options_t", sizeof(optiks_dir_options_t)},
      {"optiks_dir_stats_t", sizeof(optiks_dir_stats_t)},
      {"optiks_anchor_t", sizeof(optiks_anchor_t)},
      {"optiks_context_t", sizeof(optiks_context_t)},
      {"optiks_known_t", sizeof(optiks_known_t)},
      {"optiks_end_t", sizeof(optiks_end_t)},
      {"optiks_head_result_t", sizeof(optiks_head_result_t)},
      {"optiks_lookup_result_t", sizeof(optiks_lookup_result_t)},
      {"optiks_version_entry_t", sizeof(optiks_version_entry_t)},
      {"optiks_versions_result_t", sizeof(optiks_versions_result_t)},
      {"optiks_users_summary_t", sizeof(optiks_users_summary_t)},
      {"optiks_user_monitor_summary_t", sizeof(optiks_user_monitor_summary_t)},
      {"optiks_user_monitor_page_t", sizeof(optiks_user_monitor_page_t)},
      {"optiks_user_state_t", sizeof(optiks_user_state_t)},
      {"optiks_user_result_t", sizeof(optiks_user_result_t)},
      {"optiks_device_result_t", sizeof(optiks_device_result_t)},
      {"optiks_own_key_result_t", sizeof(optiks_own_key_result_t)},
      {"optiks_versions_verdict_t", sizeof(optiks_versions_verdict_t)},
      {"optiks_users_verdict_t", sizeof(optiks_users_verdict_t)},
      {"optiks_user_monitor_verdict_t", sizeof(optiks_user_monitor_verdict_t)},
  };
  if (name != nullptr) {
    for (const Size& known : kSizes) {
      if (known.name == name) {
        return known.size;
      }
    }
  }
  return 0;
}

void optiks_last_error(char* out, std::size_t capacity) {
  if (out != nullptr && capacity != 0) {
    const std::size_t len = std::min(std::strlen(last_error.data()), capacity - 1);
    std::copy_n(last_error.begin(), len, out);
    out[len] = '\0';
  }
}

std::int32_t optiks_reason_name(std::int32_t reason, char* out, std::size_t capacity, std::size_t* out_len) {
  return guarded([&] {
    const char* name = verify::reason_name(reason);
    if (name == nullptr) {
      return argument_error("no reason has this number");
    }
    const auto* octets = reinterpret_cast<const std::uint8_t*>(name);
    return copy_out({octets, std::strlen(name)}, reinterpret_cast<std::uint8_t*>(out), capacity, out_len);
  });
}

std::int32_t optiks_kernel(char* out, std::size_t capacity, std::size_t* out_len) {
  return guarded([&] {
    const base::Result<base::Kernel>& choice = base::kernel_choice();
    if (!choice.ok()) {
      return argument_error(choice.status().message());
    }
    const char* name = base::kernel_name(choice.value());
    const auto* octets = reinterpret_cast<const std::uint8_t*>(name);
    return copy_out({octets, std::strlen(name)}, reinterpret_cast<std::uint8_t*>(out), capacity, out_len);
  });
}

void optiks_zeroize(void* p, std::size_t len) {
  if (len != 0) {
    base::zeroize(p, len);
  }
}

std::int32_t optiks_hash(std::uint8_t tag, const std::uint8_t* data, std::size_t len, std::uint8_t out[32]) {
  return guarded([&] {
    if (out == nullptr || (data == nullptr && len != 0)) {
      return argument_error("a pointer is missing");
    }
    const Hash hash = verify::tagged_hash(tag, {data, len});
    std::copy(hash.begin(), hash.end(), out);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_vrf_generate(std::uint8_t out_secret[32], std::uint8_t out_public[32]) {
  return guarded([&] {
    if (out_secret == nullptr || out_public == nullptr) {
      return argument_error("a pointer is missing");
    }
    const auto key = vrf::SecretKey::generate();
    if (!key.ok()) {
      set_last_error(key.status().message());
      return std::int32_t{OPTIKS_E_IO};
    }
    const auto secret = key.value().export_bytes();
    std::ranges::copy(secret.bytes(), out_secret);
    std::ranges::copy(key.value().public_key(), out_public);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_vrf_public(const std::uint8_t secret[32], std::uint8_t out_public[32]) {
  return guarded([&] {
    if (secret == nullptr || out_public == nullptr) {
      return argument_error("a pointer is missing");
    }
    const auto key = vrf::SecretKey::load(std::span<const std::uint8_t, 32>(secret, 32));
    if (!key.ok()) {
      return key_error();
    }
    std::ranges::copy(key.value().public_key(), out_public);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_username_prepare(const std::uint8_t* name, std::size_t len, std::size_t max_len,
                                     std::int32_t* out_fault, std::uint8_t* out, std::size_t capacity,
                                     std::size_t* out_len) {
  return guarded([&] {
    if (!readable(name, len) || out_fault == nullptr || max_len == 0 || max_len > names::kMaxNameLen) {
      return argument_error("a pointer is missing, or max_len is not 1 to 255");
    }
    const names::Username form = names::prepare_username({name, len}, max_len);
    const bool is_valid = form.fault == OPTIKS_NAME_VALID;
    const std::int32_t status =
        copy_out(ByteSpan(form.octets).first(is_valid ? form.length : 0), out, capacity, out_len);
    if (status == OPTIKS_OK) {
      *out_fault = form.fault;
    }
    return status;
  });
}

std::int32_t optiks_vrf_validate(const std::uint8_t public_key[32]) {
  return guarded([&] {
    if (public_key == nullptr) {
      return argument_error("a pointer is missing");
    }
    vrf::PublicKey key;
    return vrf::PublicKey::parse_vartime({public_key, 32}, key) == vrf::Reason::kValid ? std::int32_t{OPTIKS_OK}
                                                                                       : key_error();
  });
}

std::int32_t optiks_vrf_verify(const std::uint8_t public_key[32], const std::uint8_t* alpha, std::size_t alpha_len,
                               const std::uint8_t proof[OPTIKS_VRF_PROOF_LEN], std::int32_t* out_reason,
                               std::uint8_t out_label[32]) {
  return guarded([&] {
    if (public_key == nullptr || proof == nullptr || out_reason == nullptr || out_label == nullptr ||
        (alpha == nullptr && alpha_len != 0)) {
      return argument_error("a pointer is missing");
    }
    vrf::PublicKey key;
    vrf::Reason reason = vrf::PublicKey::parse_vartime({public_key, 32}, key);
    if (reason == vrf::Reason::kValid) {
      reason = vrf::verify_vartime(key, {alpha, alpha_len},
                                   std::span<const std::uint8_t, vrf::kProofLen>(proof, vrf::kProofLen),
                                   std::span<std::uint8_t, vrf::kLabelLen>(out_label, vrf::kLabelLen));
    }
    *out_reason = static_cast<std::int32_t>(verify::reason_of(reason));
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_ed25519_public(const std::uint8_t seed[32], std::uint8_t out_public[32]) {
  return guarded([&] {
    if (seed == nullptr || out_public == nullptr) {
      return argument_error("a pointer is missing");
    }
    base::Secret<crypto_sign_SECRETKEYBYTES> secret;
    crypto_sign_seed_keypair(out_public, secret.bytes().data(), seed);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_ed25519_sign(const std::uint8_t seed[32], const std::uint8_t* message, std::size_t len,
                                 std::uint8_t out_signature[64]) {
  return guarded([&] {
    if (seed == nullptr || out_signature == nullptr || (message == nullptr && len != 0)) {
      return argument_error("a pointer is missing");
    }
    base::Secret<crypto_sign_SECRETKEYBYTES> secret;
    std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES> public_key{};
    crypto_sign_seed_keypair(public_key.data(), secret.bytes().data(), seed);
    crypto_sign_detached(out_signature, nullptr, message, len, secret.bytes().data());
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_ed25519_verify(const std::uint8_t public_key[32], const std::uint8_t* message, std::size_t len,
                                   const std::uint8_t signature[64], std::int32_t* out_ok) {
  return guarded([&] {
    if (public_key == nullptr || signature == nullptr || out_ok == nullptr || (message == nullptr && len != 0)) {
      return argument_error("a pointer is missing");
    }
    *out_ok = crypto_sign_verify_detached(signature, message, len, public_key) == 0 ? 1 : 0;
    return std::int32_t{OPTIKS_OK};
  });
}

}  // extern "C"
