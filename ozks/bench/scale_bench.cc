// Measures a directory of many keys. The program builds, updates, queries, saves and restores the directory, and
// reports the time, memory and disk of each step. `scale_bench KEYS FOLDER` prints a JSON object for each figure to
// stdout, and progress to stderr. It calls the C ABI, so that it measures what a service sees.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

#include "bench_support.h"
#include "made_up_rows.h"
#include "optiks/base/bytes.h"
#include "optiks/optiks.h"
#include "process_memory.h"

namespace optiks::ozks {
namespace {

using bench::kValueLen;
using bench::require;
using bench::write_lookups;

constexpr std::size_t kLoadBatch = std::size_t{1} << 18;
constexpr std::size_t kEpochLen = 1024;
constexpr std::uint64_t kEpochs = 16;
constexpr std::uint8_t kKeys = OPTIKS_KEYS;
constexpr double kGiB = 1U << 30;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double resident() {
  // malloc keeps memory that was freed. This call returns that memory to the operating system.
  malloc_trim(0);
  return static_cast<double>(bench::anonymous_bytes());
}

double size_of(const std::string& path) {
  return std::filesystem::exists(path) ? static_cast<double>(std::filesystem::file_size(path)) : 0;
}

class Scale {
 public:
  Scale(std::size_t num_keys, const std::string& folder)
      : num_keys_(num_keys),
        log_(folder + "/scale-leaves"),
        snapshot_(folder + "/scale-snapshot"),
        nodes_(folder + "/scale-nodes") {
    options_.leaf_log_path = log_.c_str();
  }
  Scale(const Scale&) = delete;
  Scale& operator=(const Scale&) = delete;
  ~Scale() {
    optiks_dir_destroy(dir_);
    std::filesystem::remove(log_);
    std::filesystem::remove(snapshot_);
    std::filesystem::remove_all(nodes_);
  }

  void run() {
    require(optiks_dir_create(&options_, &dir_));
    build();
    update();
    ask("query");
    save();
    restore("restart");
    drop_from_page_cache();
    restore("restart-cold");
    ask("query-restarted");
    check();
    restore_stored();
    ask("query-stored");
    load_stored();
    save_stored();
    begin_period_stored();
    open_stored();
  }

 private:
  struct Extra {
    const char* name;
    double value;
  };

  // Prints one row, named <name>/keys:<n>, which also shows how much memory and disk are in use.
  void note(const char* name, const char* unit, double value, std::initializer_list<Extra> extras = {}) const {
    std::printf("{\"name\": \"%s/keys:%zu\", \"unit\": \"%s\", \"value\": %.5g", name, num_keys_, unit, value);
    std::printf(", \"memory_bytes\": %.0f, \"disk_bytes\": %.0f", resident(), size_of(log_) + size_of(snapshot_));
    for (const Extra& extra : extras) {
      std::printf(", \"%s\": %.5g", extra.name, extra.value);
    }
    std::puts("}");
    std::fflush(stdout);
  }

  void build() {
    const double resident_before = resident();
    double seconds = 0;
    std::size_t done = 0;
    std::vector<optiks_leaf_t> rows;
    // Made-up keys come first. The last keys have VRF labels, so that they can be looked up.
    const std::size_t made_up = num_keys_ - std::min(num_keys_, kEpochs * kEpochLen);
    while (done < made_up) {
      rows.resize(std::min(kLoadBatch, made_up - done));
      bench::make_up(rows, epoch_ + 1, value_, random_);
      const double start = now();
      require(optiks_dir_load(dir_, epoch_ + 1, rows.data(), rows.size(), value_.data(), value_.size()));
      seconds += now() - start;
      ++epoch_;
      done += rows.size();
      if (epoch_ % 16 == 0) {
        std::fprintf(stderr, "%zu keys built, %.0f a second, %.2f GiB resident\n", done,
                     static_cast<double>(done) / seconds, resident() / kGiB);
      }
    }
    rows = {};
    require(optiks_dir_load_end(dir_));
    const auto keys = static_cast<double>(done);
    note("build", "keys/s", keys / seconds,
         {{"seconds", seconds}, {"bytes_per_key", (resident() - resident_before) / keys}});
  }

  void update() {
    double labels = 0;
    double trees = 0;
    for (std::uint64_t i = 0; i < kEpochs; ++i) {
      const bench::Updates updates(num_lookup_keys_, kEpochLen);
      num_lookup_keys_ += kEpochLen;
      const double start = now();
      const std::vector<optiks_leaf_t> rows = bench::prepare(dir_, epoch_ + 1, updates);
      const double prepared = now();
      require(optiks_staged_commit(bench::stage(dir_, epoch_ + 1, rows, updates, false)));
      ++epoch_;
      labels += prepared - start;
      trees += now() - prepared;
    }
    note("update", "updates/s in epochs of 1,024", kEpochs * kEpochLen / (labels + trees),
         {{"labels_s", labels / kEpochs}, {"trees_s", trees / kEpochs}});
  }

  // Measures lookups whose VRF proofs are cached, in calls of 64 keys each.
  void ask(const char* name) {
    constexpr std::size_t kBatch = 64;
    constexpr std::size_t kRounds = 2000;
    optiks_view_t* view = nullptr;
    require(optiks_dir_view(dir_, &view));
    std::array<std::uint8_t, 8 * kBatch> keys{};
    std::array<std::uint64_t, kBatch + 1> offsets{};
    std::array<std::uint64_t, kBatch> known{};
    std::array<std::uint64_t, kBatch> ends{};
    std::vector<std::uint8_t> out(kBatch * 8192);
    double seconds = 0;
    double octets = 0;
    // The first rounds fill the cache and are not measured.
    for (std::size_t round = 0; round < kRounds + num_lookup_keys_ / kBatch; ++round) {
      const bool is_first = round < num_lookup_keys_ / kBatch;
      for (std::size_t i = 0; i < kBatch; ++i) {
        base::store_be64(keys.data() + 8 * i, is_first ? round * kBatch + i : random_.next() % num_lookup_keys_);
        offsets[i + 1] = 8 * (i + 1);
      }
      const double start = now();
      const std::size_t len = write_lookups(view, kBatch, keys.data(), offsets.data(), known.data(), out, ends.data());
      seconds += is_first ? 0 : now() - start;
      octets += is_first ? 0 : static_cast<double>(len);
    }
    optiks_view_destroy(view);
    constexpr double kLookups = kRounds * kBatch;
    note(name, "lookups/s, 64 at once, VRF cached", kLookups / seconds, {{"answer_bytes", octets / kLookups}});
  }

  void save() {
    optiks_view_t* view = nullptr;
    require(optiks_dir_view(dir_, &view));
    require(optiks_view_states(view, &epoch_, states_.data()));
    const double start = now();
    require(optiks_view_save(view, snapshot_.c_str()));
    const double seconds = now() - start;
    optiks_view_destroy(view);
    note("snapshot", "s", seconds, {{"snapshot_bytes", size_of(snapshot_)}});
  }

  // Drops the files from the page cache, so that the next restore reads from disk, as on another machine.
  void drop_from_page_cache() const {
    for (const std::string& path : {log_, snapshot_}) {
      const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
      // The fsync comes first because the system drops only data that is on disk.
      if (file < 0 || fsync(file) != 0 || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0) {
        std::perror(path.c_str());
        std::exit(1);
      }
      close(file);
    }
  }

  // Measures the check that a replica makes after it has restored another replica's snapshot.
  void check() const {
    const double start = now();
    require(optiks_dir_check(dir_));
    note("check", "s", now() - start);
  }

  struct Spent {
    double seconds = 0;
    double cpu_seconds = 0;  // CPU time of all threads in seconds

    template <typename Call>
    void on(Call call) {
      const double start = now();
      const std::clock_t clock = std::clock();
      require(call());
      seconds += now() - start;
      cpu_seconds += static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC;
    }
  };

  // Measures restoring the snapshot in stored mode, as a new replica does. This includes the check.
  void restore_stored() {
    options_.node_store_path = nodes_.c_str();
    options_.node_cache_bytes = 64U << 20;
    fill_store("restore-stored", [&](Spent& spent) {
      spent.on([&] { return optiks_dir_restore(&options_, snapshot_.c_str(), &dir_); });
    });
    require_saved();
  }

  // Measures loading leaves in stored mode, as a new replica without a snapshot does after it has read the leaves from
  // the database. There are as many leaves as in the snapshot, all of them first versions.
  void load_stored() {
    constexpr std::size_t kServiceBatch = std::size_t{1} << 16;
    std::filesystem::remove(snapshot_);
    std::filesystem::remove_all(nodes_);
    fill_store("load-stored", [&](Spent& spent) {
      require(optiks_dir_create(&options_, &dir_));
      std::vector<optiks_leaf_t> rows(std::min(kServiceBatch, num_keys_));
      for (std::uint64_t epoch = 1; epoch <= num_keys_ / rows.size(); ++epoch) {
        bench::make_up(rows, epoch, value_, random_);
        spent.on([&] { return optiks_dir_load(dir_, epoch, rows.data(), rows.size(), value_.data(), value_.size()); });
      }
      spent.on([&] { return optiks_dir_load_end(dir_); });
    });
  }

  // Measures saving a snapshot in stored mode.
  void save_stored() {
    measure("snapshot-stored", [&](Spent& spent) {
      optiks_view_t* view = nullptr;
      require(optiks_dir_view(dir_, &view));
      spent.on([&] { return optiks_view_save(view, snapshot_.c_str()); });
      optiks_view_destroy(view);
    });
  }

  // Measures beginning a period in stored mode with a copy of each key. The rows of copies come in the batches in which
  // a replica reads them.
  void begin_period_stored() {
    constexpr std::size_t kCopyBatch = 4096;
    std::filesystem::remove(snapshot_);
    optiks_dir_destroy(dir_);
    dir_ = nullptr;
    std::filesystem::remove_all(nodes_);
    options_.period = 1;
    Spent switching;
    fill_store("period-stored", [&](Spent& spent) {
      require(optiks_dir_create(&options_, &dir_));
      std::vector<optiks_leaf_t> rows(kCopyBatch);
      for (std::size_t done = 0; done < num_keys_; done += rows.size()) {
        bench::make_up(rows, 0, value_, random_);
        spent.on([&] { return optiks_dir_load_copies(dir_, rows.data(), rows.size(), value_.data(), value_.size()); });
      }
      switching.on([&] {
        optiks_staged_t* staged = nullptr;
        require(optiks_dir_start_period(dir_, 1, nullptr, 0, nullptr, 0, 0, &staged));
        return optiks_staged_commit(staged);
      });
      spent.seconds += switching.seconds;
      spent.cpu_seconds += switching.cpu_seconds;
    });
    note("period-stored-switch", "s", switching.seconds, {{"cpu_s", switching.cpu_seconds}});
  }

  // Measures a restart in stored mode, directly after the period's first epoch.
  void open_stored() {
    options_.period_first_epoch = 1;
    fill_store("restart-stored", [&](Spent& spent) { spent.on([&] { return optiks_dir_create(&options_, &dir_); }); });
  }

  // Measures `fill`, which makes the directory in a node store.
  template <typename Fill>
  void fill_store(const char* name, Fill fill) {
    optiks_dir_destroy(dir_);
    dir_ = nullptr;
    measure(name, fill);
  }

  // Measures the time and the greatest memory of `run`.
  template <typename Run>
  void measure(const char* name, Run run) {
    malloc_trim(0);
    std::atomic<std::uint64_t> most = 0;
    Spent spent;
    {
      const std::jthread watcher([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          most = std::max(most.load(), bench::anonymous_bytes());
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
      });
      run(spent);
    }
    optiks_dir_stats_t stats{};
    require(optiks_dir_stats(dir_, &stats));
    note(name, "s", spent.seconds,
         {{"cpu_s", spent.cpu_seconds},
          {"leaves", static_cast<double>(stats.leaves)},
          {"most_anonymous_bytes", static_cast<double>(most.load())},
          {"node_store_bytes", static_cast<double>(stats.node_store_bytes)}});
  }

  void restore(const char* name) {
    optiks_dir_destroy(dir_);
    dir_ = nullptr;
    const double start = now();
    require(optiks_dir_restore(&options_, snapshot_.c_str(), &dir_));
    note(name, "s", now() - start);
    require_saved();
  }

  // Ends the program unless the directory's states equal the states of the saved directory.
  void require_saved() const {
    std::uint64_t epoch = 0;
    std::array<std::uint8_t, OPTIKS_STATES_LEN> states{};
    require(optiks_dir_states(dir_, &epoch, states.data()));
    if (epoch != epoch_ || states != states_) {
      std::fprintf(stderr, "the restored directory is not the one that was saved\n");
      std::exit(1);
    }
  }

  std::size_t num_keys_;
  std::string log_;
  std::string snapshot_;
  std::string nodes_;
  optiks_dir_options_t options_ = bench::options(64U << 20);
  optiks_dir_t* dir_ = nullptr;
  bench::Random random_;
  std::vector<std::uint8_t> value_ = std::vector<std::uint8_t>(kValueLen, 7);
  std::uint64_t epoch_ = 0;
  std::uint64_t num_lookup_keys_ = 0;
  std::array<std::uint8_t, OPTIKS_STATES_LEN> states_{};
};

int main_of(int argc, char** argv) {
  const unsigned long long keys = argc == 3 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (keys < (1U << 16) || keys > (1U << 28)) {
    std::fprintf(stderr, "usage: scale_bench KEYS FOLDER, with 2^16 to 2^28 keys\n");
    return 2;
  }
  Scale(static_cast<std::size_t>(keys), argv[2]).run();
  return 0;
}

}  // namespace
}  // namespace optiks::ozks

int main(int argc, char** argv) { return optiks::ozks::main_of(argc, argv); }
