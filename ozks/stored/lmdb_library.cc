#include "stored/lmdb_library.h"

#include <dlfcn.h>

#include <system_error>

namespace optiks::ozks {
namespace {

[[noreturn]] void missing() {
  throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory),
                          "liblmdb.so.0, which a node store needs (Debian's package liblmdb0)");
}

LmdbLibrary load() {
  // The library is never closed, because stores are used as long as the process runs.
  void* const library = dlopen("liblmdb.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    missing();
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) {
      missing();
    }
  };
  LmdbLibrary out{};
  find(out.strerror, "mdb_strerror");
  find(out.env_create, "mdb_env_create");
  find(out.env_open, "mdb_env_open");
  find(out.env_close, "mdb_env_close");
  find(out.env_info, "mdb_env_info");
  find(out.env_stat, "mdb_env_stat");
  find(out.env_get_fd, "mdb_env_get_fd");
  find(out.env_set_mapsize, "mdb_env_set_mapsize");
  find(out.env_set_maxreaders, "mdb_env_set_maxreaders");
  find(out.env_set_maxdbs, "mdb_env_set_maxdbs");
  find(out.txn_begin, "mdb_txn_begin");
  find(out.txn_commit, "mdb_txn_commit");
  find(out.txn_abort, "mdb_txn_abort");
  find(out.txn_reset, "mdb_txn_reset");
  find(out.txn_renew, "mdb_txn_renew");
  find(out.dbi_open, "mdb_dbi_open");
  find(out.get, "mdb_get");
  find(out.put, "mdb_put");
  find(out.del, "mdb_del");
  find(out.cursor_open, "mdb_cursor_open");
  find(out.cursor_get, "mdb_cursor_get");
  find(out.cursor_close, "mdb_cursor_close");
  return out;
}

}  // namespace

const LmdbLibrary& lmdb() {
  static const LmdbLibrary kLibrary = load();
  return kLibrary;
}

}  // namespace optiks::ozks
