// Implements the C ABI calls that make the answer to an owner about its own user.
#include "capi_guard.h"
#include "capi_view.h"
#include "pahd/user_monitor_writer.h"

using namespace optiks::ozks;
using namespace optiks::ozks::capi;

namespace {

bool read_request(const std::uint8_t* query, std::size_t query_len, const optiks_user_monitor_page_t* page,
                  UserMonitorRequest& out) {
  if (page == nullptr || page->max_members == 0 || page->reserved != 0 || page->own_only > 1) {
    return false;
  }
  out.page = {page->max_members, page->max_all_members, page->max_followed, page->max_bytes};
  out.own_only = page->own_only != 0;
  return readable(query, query_len) && read_user_monitor_query({query, query_len}, out.query);
}

std::int32_t query_error() {
  return argument_error("a pointer is missing, the query is no UserMonitorQuery, or the page is none");
}

optiks_user_monitor_summary_t to_summary(const UserMonitorSummary& summary) {
  optiks_user_monitor_summary_t out{};
  out.num_entries = summary.num_entries;
  out.num_proofs = summary.num_proofs;
  out.index = summary.index;
  out.unanswered = static_cast<std::uint32_t>(summary.unanswered);
  return out;
}

}  // namespace

extern "C" {

std::int32_t optiks_view_user_monitor_summary(const optiks_view_t* view, const std::uint8_t* query,
                                              std::size_t query_len, const optiks_user_monitor_page_t* page,
                                              optiks_user_monitor_summary_t* out_summary) {
  return guarded([&] {
    UserMonitorRequest request;
    if (view == nullptr || !read_request(query, query_len, page, request) || out_summary == nullptr) {
      return query_error();
    }
    *out_summary = to_summary(summarize_user_monitor(view->view, request));
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_proofs_add_user_monitor(optiks_proofs_t* proofs, const std::uint8_t* query, std::size_t query_len,
                                            const optiks_user_monitor_page_t* page) {
  return guarded([&] {
    UserMonitorRequest request;
    if (proofs == nullptr || !read_request(query, query_len, page, request)) {
      return query_error();
    }
    add_user_monitor(proofs->of.view, request, proofs->batch);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_proofs_user_monitor(const optiks_proofs_t* proofs, const std::uint8_t* query, std::size_t query_len,
                                        const optiks_user_monitor_page_t* page, std::uint8_t* out, std::size_t capacity,
                                        std::size_t* out_len, optiks_user_monitor_summary_t* out_summary) {
  return guarded([&] {
    UserMonitorRequest request;
    if (proofs == nullptr || !read_request(query, query_len, page, request) || !readable(out, capacity) ||
        out_len == nullptr || out_summary == nullptr) {
      return query_error();
    }
    Output output(out, capacity);
    *out_summary = to_summary(write_user_monitor(proofs->of.view, request, proofs->batch, output));
    return finish_output(output, out_len);
  });
}

}  // extern "C"
