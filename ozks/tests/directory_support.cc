#include "directory_support.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace optiks::ozks::test {

std::string scratch_file(const std::string& name) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "optiks-ozks-test";
  std::filesystem::create_directories(folder);
  std::string file = std::to_string(getpid()) + "-" + test->test_suite_name() + "-" + test->name() + "-" + name;
  // The names of parameterized tests contain slashes, which a file name must not contain.
  std::replace(file.begin(), file.end(), '/', '-');
  return folder / file;
}

optiks_dir_options_t options_with(const char* leaf_log_path, std::uint64_t vrf_cache_bytes) {
  optiks_dir_options_t options{};
  for (std::size_t s = 0; s < 4; ++s) {
    options.vrf_secret[s][0] = static_cast<std::uint8_t>(s + 1);
    options.vrf_secret[s][20] = 77;
    options.tag_key[s][0] = static_cast<std::uint8_t>(s + 9);
  }
  options.leaf_log_path = leaf_log_path;
  options.vrf_cache_bytes = vrf_cache_bytes;
  options.max_value_len = 65'536;
  return options;
}

DirectoryHandle create(const optiks_dir_options_t& options) {
  optiks_dir_t* dir = nullptr;
  EXPECT_EQ(optiks_dir_create(&options, &dir), OPTIKS_OK) << last_error();
  return DirectoryHandle(dir);
}

std::string last_error() {
  std::array<char, 256> text{};
  optiks_last_error(text.data(), text.size());
  return text.data();
}

StoredEpoch prepare(const optiks_dir_t* dir, std::uint64_t epoch, const std::vector<Update>& updates) {
  Blob keys;
  Blob values;
  Bytes structures;
  for (const Update& update : updates) {
    structures.push_back(update.structure);
    keys.add(update.key);
    values.add(update.value);
  }
  StoredEpoch out{epoch, std::vector<optiks_leaf_t>(updates.size()), std::move(values.octets)};
  EXPECT_EQ(optiks_dir_prepare(dir, epoch, updates.size(), structures.data(), keys.octets.data(), keys.offsets.data(),
                               out.values.data(), values.offsets.data(), out.rows.data()),
            OPTIKS_OK)
      << last_error();
  return out;
}

StagedHandle stage(optiks_dir_t* dir, const StoredEpoch& epoch, bool with_proofs) {
  optiks_staged_t* staged = nullptr;
  EXPECT_EQ(optiks_dir_stage(dir, epoch.epoch, epoch.rows.data(), epoch.rows.size(), epoch.values.data(),
                             epoch.values.size(), with_proofs ? 1 : 0, &staged),
            OPTIKS_OK)
      << last_error();
  return StagedHandle(staged);
}

void commit(StagedHandle staged) {
  if (optiks_staged_commit(staged.get()) == OPTIKS_OK) {
    static_cast<void>(staged.release());
  } else {
    ADD_FAILURE() << last_error();
  }
}

StoredEpoch publish(optiks_dir_t* dir, std::uint64_t epoch, const std::vector<Update>& updates) {
  StoredEpoch stored = prepare(dir, epoch, updates);
  commit(stage(dir, stored));
  return stored;
}

Bytes staged_proofs(const optiks_staged_t* staged) {
  std::size_t len = 0;
  EXPECT_EQ(optiks_staged_append_proofs(staged, nullptr, 0, &len), OPTIKS_E_BUFFER);
  Bytes out(len);
  EXPECT_EQ(optiks_staged_append_proofs(staged, out.data(), out.size(), &len), OPTIKS_OK);
  return out;
}

States states_of(const optiks_dir_t* dir, std::uint64_t* epoch) {
  States states{};
  std::uint64_t at = 0;
  EXPECT_EQ(optiks_dir_states(dir, &at, states.data()), OPTIKS_OK);
  if (epoch != nullptr) {
    *epoch = at;
  }
  return states;
}

namespace {

ViewHandle view_of(optiks_dir_t* dir) {
  optiks_view_t* view = nullptr;
  EXPECT_EQ(optiks_dir_view(dir, &view), OPTIKS_OK);
  return ViewHandle(view);
}

// Creates a batch of proofs, and calls `add`, optiks_proofs_run and `answer`. Returns the status of the first call that
// fails.
template <typename Add, typename Answer>
std::int32_t answer_by_batch(const optiks_view_t* view, std::uint8_t structure, Add add, Answer answer) {
  optiks_proofs_t* made = nullptr;
  std::int32_t status = optiks_proofs_create(view, structure, 1, &made);
  const ProofsHandle proofs(made);
  if (status == OPTIKS_OK) {
    status = add(made);
  }
  if (status == OPTIKS_OK) {
    status = optiks_proofs_run(made);
  }
  return status == OPTIKS_OK ? answer(made) : status;
}

}  // namespace

std::int32_t write_lookups(const optiks_view_t* view, std::uint8_t structure, std::size_t n, const std::uint8_t* keys,
                           const std::uint64_t* key_offsets, const std::uint64_t* known_periods,
                           const std::uint64_t* known_versions, std::uint8_t* out, std::size_t capacity,
                           std::size_t* out_len, std::uint64_t* out_ends) {
  return answer_by_batch(
      view, structure,
      [&](optiks_proofs_t* proofs) {
        return optiks_proofs_add_lookups(proofs, n, keys, key_offsets, known_periods, known_versions);
      },
      [&](const optiks_proofs_t* proofs) {
        return optiks_proofs_lookup_many(proofs, n, keys, key_offsets, known_periods, known_versions, out, capacity,
                                         out_len, out_ends);
      });
}

std::int32_t write_versions(const optiks_view_t* view, std::uint8_t structure, const std::uint8_t* key,
                            std::size_t key_len, std::uint64_t from, std::uint32_t max_members, std::size_t max_bytes,
                            std::uint8_t* out, std::size_t capacity, std::size_t* out_len) {
  return answer_by_batch(
      view, structure,
      [&](optiks_proofs_t* proofs) { return optiks_proofs_add_versions(proofs, key, key_len, from, max_members); },
      [&](const optiks_proofs_t* proofs) {
        return optiks_proofs_versions(proofs, key, key_len, from, max_members, max_bytes, out, capacity, out_len);
      });
}

Seen::Seen(ViewHandle view) : view_(std::move(view)) {
  EXPECT_EQ(optiks_view_states(view_.get(), &epoch_, states_.data()), OPTIKS_OK);
  for (std::size_t s = 0; s < 4; ++s) {
    const auto key = std::span(states_).subspan(s * OPTIKS_STRUCTURE_STATE_LEN + 40).first<32>();
    EXPECT_EQ(vrf::PublicKey::parse_vartime(key, vrf_keys_[s]), vrf::Reason::kValid);
  }
}

Seen::Seen(optiks_dir_t* dir) : Seen(view_of(dir)) {
  optiks_dir_stats_t stats{};
  EXPECT_EQ(optiks_dir_stats(dir, &stats), OPTIKS_OK);
  period_ = stats.period;
  period_first_epoch_ = stats.period_first_epoch;
}

verify::StructureView Seen::view(std::uint8_t structure) const {
  const std::size_t s = structure - 1U;
  const auto state = std::span(states_).subspan(s * OPTIKS_STRUCTURE_STATE_LEN, OPTIKS_STRUCTURE_STATE_LEN);
  verify::StructureView view;
  view.structure = structure;
  view.epoch = epoch_;
  view.period = period_;
  view.period_first_epoch = period_first_epoch_;
  view.root = state.first(32);
  view.count = base::load_be64(state.data() + 32);
  view.vrf_public_key = &vrf_keys_[s];
  view.max_value_len = 65'536;
  return view;
}

std::vector<Bytes> Seen::lookups(std::uint8_t structure, const std::vector<std::string>& keys,
                                 const std::vector<verify::Known>& known) const {
  Blob blob;
  std::vector<std::uint64_t> periods;
  std::vector<std::uint64_t> versions;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    blob.add(keys[i]);
    periods.push_back(known[i].period);
    versions.push_back(known[i].version);
  }
  std::vector<std::uint64_t> ends(keys.size());
  Bytes all(1024);
  for (;;) {
    std::size_t len = 0;
    const std::int32_t status =
        write_lookups(view_.get(), structure, keys.size(), blob.octets.data(), blob.offsets.data(), periods.data(),
                      versions.data(), all.data(), all.size(), &len, ends.data());
    if (status == OPTIKS_E_BUFFER && len > all.size()) {
      all.resize(len);
      continue;
    }
    EXPECT_EQ(status, OPTIKS_OK) << last_error();
    all.resize(len);
    break;
  }
  std::vector<Bytes> out;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    if (begin > end || end > all.size()) {
      ADD_FAILURE() << "ends of answers do not increase";
      return {};
    }
    out.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  EXPECT_EQ(begin, all.size());
  return out;
}

Bytes Seen::lookup(std::uint8_t structure, const std::string& key, const verify::Known& known) const {
  return lookups(structure, {key}, {known}).front();
}

Bytes Seen::versions(std::uint8_t structure, const std::string& key, std::uint64_t from, std::uint32_t max_members,
                     std::size_t max_bytes) const {
  const auto* octets = reinterpret_cast<const std::uint8_t*>(key.data());
  std::size_t len = 0;
  EXPECT_EQ(write_versions(view_.get(), structure, octets, key.size(), from, max_members, max_bytes, nullptr, 0, &len),
            OPTIKS_E_BUFFER)
      << last_error();
  Bytes out(len);
  EXPECT_EQ(write_versions(view_.get(), structure, octets, key.size(), from, max_members, max_bytes, out.data(),
                           out.size(), &len),
            OPTIKS_OK)
      << last_error();
  EXPECT_EQ(len, out.size());
  return out;
}

verify::Reason Seen::check(std::uint8_t structure, const std::string& key, const verify::Known& known,
                           const Bytes& answer, verify::LookupResult& out) const {
  verify::Lookup lookup;
  const verify::Reason reason = verify::decode_whole(ByteSpan(answer), lookup);
  return reason != verify::Reason::kValid
             ? reason
             : verify::verify_lookup(view(structure), Bytes(key.begin(), key.end()), known, lookup, out);
}

verify::Reason Seen::check(std::uint8_t structure, const std::string& key, const verify::Known& known,
                           const Bytes& answer, std::vector<verify::VersionEntry>& entries,
                           verify::VersionsResult& out) const {
  verify::Versions versions;
  const verify::Reason reason = verify::decode_whole(ByteSpan(answer), versions);
  if (reason != verify::Reason::kValid) {
    return reason;
  }
  entries.assign(versions.members.size(), {});
  return verify::verify_versions(view(structure), Bytes(key.begin(), key.end()), known, versions, entries, out);
}

std::string Seen::value(std::uint8_t structure, const std::string& key) const {
  const Bytes answer = lookup(structure, key);
  verify::LookupResult result;
  const verify::Reason reason = check(structure, key, {}, answer, result);
  if (reason != verify::Reason::kValid) {
    return std::string("#").append(verify::test::name_of(reason));
  }
  return result.version == 0 ? "" : text_of(result.value);
}

std::vector<Update> random_updates(Random& random, std::uint64_t epoch) {
  std::map<std::pair<std::uint8_t, std::string>, std::string> chosen;
  for (std::uint64_t i = random.below(12); i > 0; --i) {
    const std::uint8_t structure = random.below(4) == 0 ? std::uint8_t{OPTIKS_DEVICES} : std::uint8_t{OPTIKS_KEYS};
    chosen[{structure, key_name(random.below(15))}] =
        std::string(random.below(40), 'v') + numbered(" of epoch ", epoch);
  }
  std::vector<Update> updates;
  for (const auto& [key, value] : chosen) {
    updates.push_back({key.first, key.second, value});
  }
  return updates;
}

std::vector<std::string> newest_values(const optiks_dir_t* dir, std::uint8_t structure,
                                       const std::vector<std::string>& keys) {
  Blob blob;
  for (const std::string& key : keys) {
    blob.add(key);
  }
  std::vector<std::uint64_t> ends(keys.size());
  Bytes kept(keys.size());
  Bytes values;
  std::size_t len = 0;
  const auto call = [&] {
    return optiks_dir_newest_values(dir, structure, keys.size(), blob.octets.data(), blob.offsets.data(), values.data(),
                                    values.size(), &len, ends.data(), kept.data());
  };
  std::int32_t status = call();
  if (status == OPTIKS_E_BUFFER) {
    values.resize(len);
    status = call();
  }
  EXPECT_EQ(status, OPTIKS_OK);
  std::vector<std::string> out;
  std::size_t start = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t end = static_cast<std::size_t>(ends[i]);
    out.push_back(kept[i] == 0 ? "-"
                               : std::string(values.begin() + static_cast<std::ptrdiff_t>(start),
                                             values.begin() + static_cast<std::ptrdiff_t>(end)));
    start = end;
  }
  return out;
}

}  // namespace optiks::ozks::test
