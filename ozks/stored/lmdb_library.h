// The functions of liblmdb. The library is loaded when the first store is opened, so LMDB must be installed only on
// machines that use stored mode.
//
// Thread safety: any thread may call lmdb().
#pragma once

#include <lmdb.h>

namespace optiks::ozks {

struct LmdbLibrary {
  decltype(&mdb_strerror) strerror;
  decltype(&mdb_env_create) env_create;
  decltype(&mdb_env_open) env_open;
  decltype(&mdb_env_close) env_close;
  decltype(&mdb_env_info) env_info;
  decltype(&mdb_env_stat) env_stat;
  decltype(&mdb_env_get_fd) env_get_fd;
  decltype(&mdb_env_set_mapsize) env_set_mapsize;
  decltype(&mdb_env_set_maxreaders) env_set_maxreaders;
  decltype(&mdb_env_set_maxdbs) env_set_maxdbs;
  decltype(&mdb_txn_begin) txn_begin;
  decltype(&mdb_txn_commit) txn_commit;
  decltype(&mdb_txn_abort) txn_abort;
  decltype(&mdb_txn_reset) txn_reset;
  decltype(&mdb_txn_renew) txn_renew;
  decltype(&mdb_dbi_open) dbi_open;
  decltype(&mdb_get) get;
  decltype(&mdb_put) put;
  decltype(&mdb_del) del;
  decltype(&mdb_cursor_open) cursor_open;
  decltype(&mdb_cursor_get) cursor_get;
  decltype(&mdb_cursor_close) cursor_close;
};

// Loads the library on the first call. Throws std::system_error if liblmdb is not installed.
[[nodiscard]] const LmdbLibrary& lmdb();

}  // namespace optiks::ozks
