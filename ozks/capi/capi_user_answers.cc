// Implements the C ABI calls that make answers about users.
#include "capi_guard.h"
#include "capi_view.h"
#include "pahd/user_writer.h"

using namespace optiks::ozks;
using namespace optiks::ozks::capi;

namespace {

bool read_request(const std::uint8_t* queries, std::size_t queries_len, std::uint64_t max_entries, UsersRequest& out) {
  out.max_entries = max_entries;
  return readable(queries, queries_len) && read_user_queries({queries, queries_len}, out.queries);
}

std::int32_t queries_error() { return argument_error("a pointer is missing, or the queries are no UserQueryList"); }

optiks_users_summary_t to_summary(const UsersSummary& summary) {
  optiks_users_summary_t out{};
  out.num_entries = summary.num_entries;
  out.num_proofs = summary.num_proofs;
  out.ahead_user = summary.ahead_user;
  out.ahead_of = static_cast<std::uint32_t>(summary.ahead_of);
  return out;
}

std::int32_t users(const optiks_view_t* view, const ProofBatch* batch, const std::uint8_t* queries,
                   std::size_t queries_len, std::uint64_t max_entries, std::uint8_t* out, std::size_t capacity,
                   std::size_t* out_len, optiks_users_summary_t* out_summary) {
  return guarded([&] {
    UsersRequest request;
    if (view == nullptr || !read_request(queries, queries_len, max_entries, request) || !readable(out, capacity) ||
        out_len == nullptr || out_summary == nullptr) {
      return queries_error();
    }
    Output output(out, capacity);
    UsersSummary summary;
    const bool is_proven = write_users(view->view, request, batch, output, summary);
    *out_summary = to_summary(summary);
    if (!is_proven) {
      set_last_error("a proof is not cached");
      return std::int32_t{OPTIKS_E_UNPROVEN};
    }
    return finish_output(output, out_len);
  });
}

}  // namespace

extern "C" {

std::int32_t optiks_view_users_summary(const optiks_view_t* view, const std::uint8_t* queries, std::size_t queries_len,
                                       std::uint64_t max_entries, optiks_users_summary_t* out_summary) {
  return guarded([&] {
    UsersRequest request;
    if (view == nullptr || !read_request(queries, queries_len, max_entries, request) || out_summary == nullptr) {
      return queries_error();
    }
    *out_summary = to_summary(summarize_users(view->view, request));
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_view_users_cached(const optiks_view_t* view, const std::uint8_t* queries, std::size_t queries_len,
                                      std::uint64_t max_entries, std::uint8_t* out, std::size_t capacity,
                                      std::size_t* out_len, optiks_users_summary_t* out_summary) {
  return users(view, nullptr, queries, queries_len, max_entries, out, capacity, out_len, out_summary);
}

std::int32_t optiks_proofs_add_users(optiks_proofs_t* proofs, const std::uint8_t* queries, std::size_t queries_len,
                                     std::uint64_t max_entries) {
  return guarded([&] {
    UsersRequest request;
    if (proofs == nullptr || !read_request(queries, queries_len, max_entries, request)) {
      return queries_error();
    }
    add_users(proofs->of.view, request, proofs->batch);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_proofs_users(const optiks_proofs_t* proofs, const std::uint8_t* queries, std::size_t queries_len,
                                 std::uint64_t max_entries, std::uint8_t* out, std::size_t capacity,
                                 std::size_t* out_len, optiks_users_summary_t* out_summary) {
  if (proofs == nullptr) {
    return guarded(queries_error);
  }
  return users(&proofs->of, &proofs->batch, queries, queries_len, max_entries, out, capacity, out_len, out_summary);
}

}  // extern "C"
