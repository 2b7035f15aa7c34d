// Tests a directory's tag keys. The tags of each structure must equal the tags that Python's hashlib computes. If all
// structures have the same tag key, as in old logs, the tags and the check must be the same as before each structure
// had its own tag key.
#include <gtest/gtest.h>

#include <string>

#include "saved_support.h"

namespace optiks::ozks::test {
namespace {

// Returns options of a log with one tag key for all structures.
optiks_dir_options_t with_one_tag_key(const char* leaf_log_path) {
  optiks_dir_options_t options = options_with(leaf_log_path);
  for (auto& key : options.tag_key) {
    std::ranges::copy(options.tag_key[0], key);
  }
  return options;
}

// Returns the tags of the key "alice" in each structure, from rows that the next epoch would have.
std::vector<std::string> tags_of_alice(const optiks_dir_t* dir) {
  const StoredEpoch epoch = prepare(dir, 1,
                                    {{OPTIKS_USERNAMES, "alice", "1"},
                                     {OPTIKS_DEVICES, "alice", "1"},
                                     {OPTIKS_KEYS, "alice", "1"},
                                     {OPTIKS_DECOMMISSIONED, "alice", "1"}});
  std::vector<std::string> out;
  for (const optiks_leaf_t& row : epoch.rows) {
    out.push_back(base::to_hex(row.tag));
  }
  return out;
}

// Returns the tag check in a snapshot's header.
std::string saved_check(const optiks_dir_t* dir, const std::string& path) {
  optiks_view_t* view = nullptr;
  EXPECT_EQ(optiks_dir_view(const_cast<optiks_dir_t*>(dir), &view), OPTIKS_OK);
  EXPECT_EQ(optiks_view_save(view, path.c_str()), OPTIKS_OK);
  optiks_view_destroy(view);
  return base::to_hex(ByteSpan(payload_of(read_file(path))).subspan(saved::kEpoch + 8, OPTIKS_TAG_LEN));
}

TEST(Secrets, EachStructureHasATagKey) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  const std::vector<std::string> expected = {"8da90d422a7550866d4b4f806036795f", "62a6cc3fb179e39c64db10182862eadf",
                                             "9940ce402d99b2cacb011bee0ec9f6e5", "866b2e543a087a1adc2bc0300eec411e"};
  EXPECT_EQ(tags_of_alice(dir.get()), expected);
  EXPECT_EQ(saved_check(dir.get(), scratch_file("snapshot")), "6285ec423872ffc927d0674a75a58bf2");
  // Rows that are prepared together get the same tags, in any order of the rows.
  const StoredEpoch epoch = prepare(dir.get(), 1,
                                    {{OPTIKS_KEYS, "alice", "1"},
                                     {OPTIKS_USERNAMES, "alice", "2"},
                                     {OPTIKS_DECOMMISSIONED, "alice", "3"},
                                     {OPTIKS_DEVICES, "alice", "4"},
                                     {OPTIKS_KEYS, "bob", "5"}});
  for (const optiks_leaf_t& row : epoch.rows) {
    const std::uint32_t structure = row.structure_and_input >> 28;
    const bool is_bob = (row.structure_and_input & 0xfffffff) == 4;
    EXPECT_EQ(base::to_hex(row.tag) == expected[structure_index(static_cast<std::uint8_t>(structure))], !is_bob);
  }
  commit(stage(dir.get(), epoch));
  EXPECT_EQ(Seen(dir.get()).value(OPTIKS_DEVICES, "alice"), "4");
  EXPECT_EQ(Seen(dir.get()).value(OPTIKS_KEYS, "alice"), "1");
  EXPECT_EQ(Seen(dir.get()).value(OPTIKS_KEYS, "bob"), "5");
}

TEST(Secrets, ALogWithOneTagKeyKeepsItsTagsAndSnapshots) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(with_one_tag_key(log.c_str()));
  EXPECT_EQ(tags_of_alice(dir.get()),
            (std::vector<std::string>{"8da90d422a7550866d4b4f806036795f", "3c7c24d769498f71c20f5dd9eb3dce86",
                                      "1a8638574e424b22cd428270272c776e", "851d8957a8d987f662d8331e2d7757c5"}));
  EXPECT_EQ(saved_check(dir.get(), scratch_file("snapshot")), "148e63cbb513c9092418318f64ce4e2f");
}

}  // namespace
}  // namespace optiks::ozks::test
