#include <sodium.h>

#include <bit>

#include "optiks/base/sha256.h"
#include "optiks/ozks/verify/rfc6962.h"
#include "prover.h"

namespace optiks::ozks::verify::test {
namespace {

// Returns the largest power of two that is less than `size`.
std::size_t split(std::size_t size) { return std::bit_floor(size - 1); }

std::vector<Hash> subproof(std::span<const Hash> leaves, std::size_t old_size, bool whole) {
  if (old_size == leaves.size()) {
    return whole ? std::vector<Hash>() : std::vector{log_root(leaves)};
  }
  const std::size_t k = split(leaves.size());
  const bool in_left = old_size <= k;
  auto proof = in_left ? subproof(leaves.first(k), old_size, whole) : subproof(leaves.subspan(k), old_size - k, false);
  proof.push_back(log_root(in_left ? leaves.subspan(k) : leaves.first(k)));
  return proof;
}

}  // namespace

SigningKey::SigningKey(std::uint8_t seed) : public_(crypto_sign_PUBLICKEYBYTES), secret_(crypto_sign_SECRETKEYBYTES) {
  const Bytes seed_octets(crypto_sign_SEEDBYTES, seed);
  crypto_sign_seed_keypair(public_.data(), secret_.data(), seed_octets.data());
}

Bytes SigningKey::sign(ByteSpan message) const {
  Bytes signature(crypto_sign_BYTES);
  crypto_sign_detached(signature.data(), nullptr, message.data(), message.size(), secret_.data());
  return signature;
}

Bytes SigningKey::key_id(std::string_view name, std::uint8_t type) const {
  Writer input;
  input.raw(to_bytes(name)).integer('\n', 1).integer(type, 1).raw(public_);
  Hash digest;
  base::sha256(digest, input.get());
  return to_bytes(ByteSpan(digest).first(4));
}

std::string base64(ByteSpan octets) {
  std::string out(sodium_base64_ENCODED_LEN(octets.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), octets.data(), octets.size(), sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();
  return out;
}

std::string signature_line(std::string_view name, ByteSpan key_id, ByteSpan signature) {
  Writer blob;
  blob.raw(key_id).raw(signature);
  return "\xE2\x80\x94 " + std::string(name) + " " + base64(blob.get()) + "\n";
}

std::string signed_note(const std::string& body, std::string_view name, const SigningKey& key) {
  return body + "\n" + signature_line(name, key.key_id(name), key.sign(to_bytes(body)));
}

std::string checkpoint_body(std::string_view origin, std::uint64_t size, const Hash& root) {
  return std::string(origin) + "\n" + std::to_string(size) + "\n" + base64(root) + "\n";
}

Hash log_root(std::span<const Hash> leaves) {
  if (leaves.size() == 1) {
    return leaves[0];
  }
  const std::size_t k = split(leaves.size());
  return log_node_hash(log_root(leaves.first(k)), log_root(leaves.subspan(k)));
}

std::vector<Hash> log_inclusion(std::span<const Hash> leaves, std::size_t index) {
  if (leaves.size() == 1) {
    return {};
  }
  const std::size_t k = split(leaves.size());
  const bool in_left = index < k;
  auto proof = in_left ? log_inclusion(leaves.first(k), index) : log_inclusion(leaves.subspan(k), index - k);
  proof.push_back(log_root(in_left ? leaves.subspan(k) : leaves.first(k)));
  return proof;
}

std::vector<Hash> log_consistency(std::span<const Hash> leaves, std::size_t old_size) {
  return subproof(leaves, old_size, true);
}

bool ed25519_verify(ByteSpan public_key, ByteSpan message, ByteSpan signature) {
  return crypto_sign_verify_detached(signature.data(), message.data(), message.size(), public_key.data()) == 0;
}

}  // namespace optiks::ozks::verify::test
