// Restores changed snapshots, as a replica restores another replica's snapshot with its own leaf log. The input is a
// list of changes to a correct snapshot. A change has three octets: a position, and a number that is added to the octet
// at this position. The target then corrects all checksums. Linked mode restores the snapshot and checks it; in stored
// mode the restore includes the check. Both modes must accept the same snapshots.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "optiks/base/bytes.h"
#include "optiks/base/check.h"
#include "optiks/optiks.h"
#include "optiks/ozks/verify/facts.h"
#include "snapshot/block_file.h"

using namespace optiks::ozks;

namespace {

using Bytes = std::vector<std::uint8_t>;
using States = std::array<std::uint8_t, OPTIKS_STATES_LEN>;

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder with the snapshot and the leaf log of a directory of a few keys. Some keys have several versions.
class Scene {
 public:
  Scene() {
    OPTIKS_CHECK(mkdtemp(folder_.data()) != nullptr);
    optiks_dir_options_t options = options_of("true-log");
    optiks_dir_t* dir = nullptr;
    OPTIKS_CHECK(optiks_dir_create(&options, &dir) == OPTIKS_OK);
    for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
      publish(dir, epoch);
    }
    optiks_view_t* view = nullptr;
    OPTIKS_CHECK(optiks_dir_view(dir, &view) == OPTIKS_OK);
    OPTIKS_CHECK(optiks_view_save(view, path("true-snapshot").c_str()) == OPTIKS_OK);
    optiks_view_destroy(view);
    optiks_dir_destroy(dir);
    const Bytes file = read_file(path("true-snapshot"));
    // The file has one block, whose header has 8 octets, and an empty block of 8 octets.
    payload_ = Bytes(file.begin() + 8, file.end() - 8);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() { std::filesystem::remove_all(folder_); }

  static Scene& scene() {
    static Scene one;
    return one;
  }

  [[nodiscard]] const Bytes& payload() const { return payload_; }

  void write(const Bytes& payload) const {
    BlockWriter writer(path("snapshot").c_str());
    for (std::size_t at = 0; at < payload.size(); at += kMaxElementLen) {
      writer.put(ByteSpan(payload).subspan(at, std::min(kMaxElementLen, payload.size() - at)));
    }
    writer.finish();
  }

  // Restores and checks the snapshot. If the result is OPTIKS_OK, writes the directory's states to `out`.
  [[nodiscard]] std::int32_t restore(bool is_stored, States& out) const {
    std::filesystem::remove_all(path("nodes"));
    std::filesystem::copy_file(path("true-log"), path("log"), std::filesystem::copy_options::overwrite_existing);
    optiks_dir_options_t options = options_of("log");
    const std::string nodes = path("nodes");
    if (is_stored) {
      options.node_store_path = nodes.c_str();
    }
    optiks_dir_t* dir = nullptr;
    std::int32_t status = optiks_dir_restore(&options, path("snapshot").c_str(), &dir);
    if (status == OPTIKS_OK && !is_stored) {
      status = optiks_dir_check(dir);
    }
    if (status == OPTIKS_OK) {
      std::uint64_t epoch = 0;
      OPTIKS_CHECK(optiks_dir_states(dir, &epoch, out.data()) == OPTIKS_OK);
    }
    optiks_dir_destroy(dir);
    return status;
  }

 private:
  [[nodiscard]] std::string path(const char* name) const { return folder_ + "/" + name; }

  [[nodiscard]] optiks_dir_options_t options_of(const char* log) const {
    optiks_dir_options_t options{};
    for (auto& secret : options.vrf_secret) {
      secret[0] = 1;
    }
    options.max_value_len = 1024;
    log_ = path(log);
    options.leaf_log_path = log_.c_str();
    return options;
  }

  // Publishes an epoch. The first epoch has two keys of each structure. Each later epoch has another version of the
  // keys that have versions.
  static void publish(optiks_dir_t* dir, std::uint64_t epoch) {
    std::vector<std::uint8_t> structures;
    Bytes keys;
    std::vector<std::uint64_t> offsets = {0};
    for (const std::uint8_t structure :
         std::initializer_list<std::uint8_t>{OPTIKS_DEVICES, OPTIKS_USERNAMES, OPTIKS_KEYS, OPTIKS_DECOMMISSIONED}) {
      const bool has_versions = verify::has_versions(structure);
      for (std::uint8_t i = 0; i < 2 && (has_versions || epoch == 1); ++i) {
        structures.push_back(structure);
        keys.push_back(i);
        offsets.push_back(keys.size());
      }
    }
    std::vector<optiks_leaf_t> rows(structures.size());
    // The call uses each key also as the key's value.
    OPTIKS_CHECK(optiks_dir_prepare(dir, epoch, rows.size(), structures.data(), keys.data(), offsets.data(),
                                    keys.data(), offsets.data(), rows.data()) == OPTIKS_OK);
    optiks_staged_t* staged = nullptr;
    OPTIKS_CHECK(optiks_dir_stage(dir, epoch, rows.data(), rows.size(), keys.data(), keys.size(), 0, &staged) ==
                 OPTIKS_OK);
    OPTIKS_CHECK(optiks_staged_commit(staged) == OPTIKS_OK);
  }

  // The folder is in memory, because each run calls fsync several times. mkdtemp() replaces the last six letters with
  // random letters.
  std::string folder_ = "/dev/shm/fuzz_snapshot-XXXXXX";
  Bytes payload_;
  mutable std::string log_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Scene& scene = Scene::scene();
  Bytes payload = scene.payload();
  for (; size >= 3; data += 3, size -= 3) {
    payload[(std::size_t{data[0]} << 8 | data[1]) % payload.size()] += data[2];
  }
  scene.write(payload);
  States linked_states{};
  States stored_states{};
  const std::int32_t linked = scene.restore(false, linked_states);
  const std::int32_t stored = scene.restore(true, stored_states);
  for (const std::int32_t status : {linked, stored}) {
    OPTIKS_CHECK(status == OPTIKS_OK || status == OPTIKS_E_DATA || status == OPTIKS_E_IO);
  }
  if (linked == OPTIKS_OK) {
    OPTIKS_CHECK(stored == OPTIKS_OK && linked_states == stored_states);
  }
  return 0;
}
