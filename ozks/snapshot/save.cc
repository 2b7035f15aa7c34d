#include "snapshot/save.h"

#include "snapshot/snapshot_header.h"

namespace optiks::ozks {

void save_snapshot(const Snapshot& snapshot, const char* path) {
  const Store& store = snapshot.store();
  const Version& version = snapshot.version();
  if (!store.log.has_name()) {
    throw DirectoryError(OPTIKS_E_STATE, "a directory whose leaf log has no name cannot be saved");
  }
  store.log.sync();
  BlockWriter out(path);
  SnapshotHeader header;
  header.keeps_values = store.keeps_values;
  header.period = store.period;
  header.period_first_epoch = store.period_first_epoch;
  header.epoch = version.epoch;
  header.tag_check = tag_check(store.secrets);
  header.log_identity = store.log.identity();
  header.log_len = version.log_len;
  encode_states(store.secrets, version.trees, header.states.data());
  header.write(out);
  store.trees->save(store.log, version.epoch, version.trees, [&](ByteSpan element) { out.put(element); });
  out.finish();
}

}  // namespace optiks::ozks
