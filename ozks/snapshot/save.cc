#include "snapshot/save.h"

#include "snapshot/snapshot_header.h"

namespace optiks::ozks {

void save_snapshot(const View& view, const char* path) {
  const DirectoryData& data = view.data();
  const EpochState& state = view.state();
  if (!data.log.has_name()) {
    throw DirectoryError(OPTIKS_E_STATE, "a directory whose leaf log has no name cannot be saved");
  }
  data.log.sync();
  BlockWriter out(path);
  SnapshotHeader header;
  header.kept_values = data.kept_values;
  header.period = data.period;
  header.period_first_epoch = data.period_first_epoch;
  header.epoch = state.epoch;
  header.tag_check = tag_check(data.secrets);
  header.log_identity = data.log.identity();
  header.log_len = state.log_len;
  encode_states(data.secrets, state.trees, header.states.data());
  header.write(out);
  data.trees->save(data.log, state.epoch, state.trees, [&](ByteSpan element) { out.put(element); });
  out.finish();
}

}  // namespace optiks::ozks
