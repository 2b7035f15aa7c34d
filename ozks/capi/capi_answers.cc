// Implements the C ABI calls that make answers about keys.
#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "capi_guard.h"
#include "capi_view.h"
#include "pahd/answer_writer.h"

using namespace optiks::ozks;
using namespace optiks::ozks::capi;

namespace {

bool is_key(const std::uint8_t* key, std::size_t len) { return key != nullptr && len != 0 && len <= kMaxKeyLen; }

std::int32_t lookup(const optiks_view_t* view, std::uint8_t structure, const ProofBatch* batch, std::size_t n,
                    const std::uint8_t* keys, const std::uint64_t* key_offsets, const std::uint64_t* known_periods,
                    const std::uint64_t* known_versions, std::uint8_t* out, std::size_t capacity, std::size_t* out_len,
                    std::uint64_t* out_ends) {
  return guarded([&] {
    ByteStrings strings;
    if (view == nullptr || !verify::has_versions(structure) || !read_keys(n, keys, key_offsets, strings) ||
        !readable(known_periods, n) || !readable(known_versions, n) || !readable(out, capacity) || out_len == nullptr ||
        !readable(out_ends, n)) {
      return argument_error("a pointer is missing, a structure has no versions, or a key is not 1..255 octets");
    }
    // For a few queries this memory is large enough, so that the call allocates no memory on the heap.
    std::array<std::byte, 512> room;
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
    std::pmr::vector<LookupQuery> queries(&memory);
    queries.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      queries.push_back({strings[i], known_periods[i], known_versions[i]});
    }
    Output output(out, capacity);
    if (!write_lookups(view->view, structure, queries, batch, output, out_ends)) {
      set_last_error("a proof is not cached");
      return std::int32_t{OPTIKS_E_UNPROVEN};
    }
    return finish_output(output, out_len);
  });
}

}  // namespace

extern "C" {

std::int32_t optiks_view_lookup_cached(const optiks_view_t* view, std::uint8_t structure, std::size_t n,
                                       const std::uint8_t* keys, const std::uint64_t* key_offsets,
                                       const std::uint64_t* known_periods, const std::uint64_t* known_versions,
                                       std::uint8_t* out, std::size_t capacity, std::size_t* out_len,
                                       std::uint64_t* out_ends) {
  return lookup(view, structure, nullptr, n, keys, key_offsets, known_periods, known_versions, out, capacity, out_len,
                out_ends);
}

std::int32_t optiks_proofs_create(const optiks_view_t* view, std::uint8_t structure, std::int32_t use_cache,
                                  optiks_proofs_t** out) {
  return guarded([&] {
    if (view == nullptr || out == nullptr || !verify::has_versions(structure)) {
      return argument_error("a pointer is missing, or a structure has no versions");
    }
    *out = new optiks_proofs(*view, structure, use_cache != 0);
    return std::int32_t{OPTIKS_OK};
  });
}

void optiks_proofs_destroy(optiks_proofs_t* proofs) { delete proofs; }

std::int32_t optiks_proofs_add_lookups(optiks_proofs_t* proofs, std::size_t n, const std::uint8_t* keys,
                                       const std::uint64_t* key_offsets, const std::uint64_t* known_periods,
                                       const std::uint64_t* known_versions) {
  return guarded([&] {
    ByteStrings strings;
    if (proofs == nullptr || !read_keys(n, keys, key_offsets, strings) || !readable(known_periods, n) ||
        !readable(known_versions, n)) {
      return argument_error("a pointer is missing, or a key is not 1..255 octets");
    }
    for (std::size_t i = 0; i < n; ++i) {
      add_lookup(proofs->of.view, proofs->structure, {strings[i], known_periods[i], known_versions[i]}, proofs->batch);
    }
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_proofs_add_versions(optiks_proofs_t* proofs, const std::uint8_t* key, std::size_t key_len,
                                        std::uint64_t from, std::uint32_t max_members) {
  return guarded([&] {
    if (proofs == nullptr || !is_key(key, key_len) || from == 0 || max_members == 0) {
      return argument_error("a pointer is missing, or a key length, first version or page length is out of bounds");
    }
    add_versions(proofs->of.view, proofs->structure, {{key, key_len}, from, max_members, SIZE_MAX}, proofs->batch);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_proofs_run(optiks_proofs_t* proofs) {
  return guarded([&] {
    if (proofs == nullptr) {
      return argument_error("a pointer is missing");
    }
    proofs->batch.run();
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_proofs_lookup_many(const optiks_proofs_t* proofs, std::size_t n, const std::uint8_t* keys,
                                       const std::uint64_t* key_offsets, const std::uint64_t* known_periods,
                                       const std::uint64_t* known_versions, std::uint8_t* out, std::size_t capacity,
                                       std::size_t* out_len, std::uint64_t* out_ends) {
  return guarded([&] {
    if (proofs == nullptr) {
      return argument_error("a pointer is missing");
    }
    return lookup(&proofs->of, proofs->structure, &proofs->batch, n, keys, key_offsets, known_periods, known_versions,
                  out, capacity, out_len, out_ends);
  });
}

std::int32_t optiks_proofs_versions(const optiks_proofs_t* proofs, const std::uint8_t* key, std::size_t key_len,
                                    std::uint64_t from, std::uint32_t max_members, std::size_t max_bytes,
                                    std::uint8_t* out, std::size_t capacity, std::size_t* out_len) {
  return guarded([&] {
    if (proofs == nullptr || !is_key(key, key_len) || from == 0 || max_members == 0 || !readable(out, capacity) ||
        out_len == nullptr) {
      return argument_error("a pointer is missing, or a key length, first version or page length is out of bounds");
    }
    Output output(out, capacity);
    write_versions(proofs->of.view, proofs->structure, {{key, key_len}, from, max_members, max_bytes}, proofs->batch,
                   output);
    return finish_output(output, out_len);
  });
}

}  // extern "C"
