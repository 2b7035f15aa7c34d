/* Tests that a C compiler accepts optiks.h and that C code can call the library. The assertions check the struct
 * layouts on which the bindings of other languages rely. */
#include "optiks/optiks.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(optiks_leaf_t) == 128, "optiks_leaf_t");
_Static_assert(offsetof(optiks_leaf_t, commitment) == 32, "commitment");
_Static_assert(offsetof(optiks_leaf_t, tag) == 64, "tag");
_Static_assert(offsetof(optiks_leaf_t, opening) == 80, "opening");
_Static_assert(offsetof(optiks_leaf_t, epoch) == 96, "epoch");
_Static_assert(offsetof(optiks_leaf_t, version) == 104, "version");
_Static_assert(offsetof(optiks_leaf_t, value_offset) == 112, "value_offset");
_Static_assert(offsetof(optiks_leaf_t, value_len) == 120, "value_len");
_Static_assert(offsetof(optiks_leaf_t, structure_and_input) == 124, "structure_and_input");
_Static_assert(sizeof(optiks_dir_stats_t) == 104, "optiks_dir_stats_t");
_Static_assert(sizeof(optiks_known_t) == 56, "optiks_known_t");
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(optiks_dir_options_t) == 320, "optiks_dir_options_t");
_Static_assert(offsetof(optiks_dir_options_t, tag_key) == 128, "tag_key");
_Static_assert(offsetof(optiks_dir_options_t, leaf_log_path) == 256, "leaf_log_path");
_Static_assert(offsetof(optiks_dir_options_t, max_value_len) == 288, "max_value_len");
_Static_assert(sizeof(optiks_anchor_t) == 56, "optiks_anchor_t");
_Static_assert(sizeof(optiks_context_t) == 128, "optiks_context_t");
_Static_assert(sizeof(optiks_end_t) == 56, "optiks_end_t");
_Static_assert(sizeof(optiks_head_result_t) == 96, "optiks_head_result_t");
_Static_assert(sizeof(optiks_lookup_result_t) == 48, "optiks_lookup_result_t");
_Static_assert(sizeof(optiks_version_entry_t) == 48, "optiks_version_entry_t");
_Static_assert(sizeof(optiks_versions_result_t) == 32, "optiks_versions_result_t");
_Static_assert(sizeof(optiks_users_summary_t) == 32, "optiks_users_summary_t");
_Static_assert(sizeof(optiks_user_monitor_summary_t) == 32, "optiks_user_monitor_summary_t");
_Static_assert(sizeof(optiks_user_monitor_page_t) == 40, "optiks_user_monitor_page_t");
_Static_assert(sizeof(optiks_user_state_t) == 24, "optiks_user_state_t");
_Static_assert(sizeof(optiks_user_result_t) == 104, "optiks_user_result_t");
_Static_assert(sizeof(optiks_device_result_t) == 72, "optiks_device_result_t");
_Static_assert(sizeof(optiks_own_key_result_t) == 56, "optiks_own_key_result_t");
#endif

static int failures = 0;

static void expect(int condition, const char* what) {
  if (!condition) {
    ++failures;
    fprintf(stderr, "%s\n", what);
  }
}

#define EXPECT_SIZE(type) expect(optiks_sizeof(#type) == sizeof(type), #type)

int main(void) {
  expect(optiks_abi_version() == OPTIKS_ABI_VERSION, "abi version");
  char kernel[16];
  size_t kernel_len = 0;
  expect(optiks_kernel(kernel, sizeof(kernel), &kernel_len) == OPTIKS_OK, "kernel");
  expect(kernel_len > 0 && kernel_len < sizeof(kernel), "kernel's name");
  EXPECT_SIZE(optiks_leaf_t);
  EXPECT_SIZE(optiks_dir_options_t);
  EXPECT_SIZE(optiks_dir_stats_t);
  EXPECT_SIZE(optiks_anchor_t);
  EXPECT_SIZE(optiks_context_t);
  EXPECT_SIZE(optiks_known_t);
  EXPECT_SIZE(optiks_head_result_t);
  EXPECT_SIZE(optiks_lookup_result_t);
  EXPECT_SIZE(optiks_version_entry_t);
  EXPECT_SIZE(optiks_versions_result_t);
  EXPECT_SIZE(optiks_users_summary_t);
  EXPECT_SIZE(optiks_user_monitor_summary_t);
  EXPECT_SIZE(optiks_user_monitor_page_t);
  EXPECT_SIZE(optiks_user_state_t);
  EXPECT_SIZE(optiks_user_result_t);
  EXPECT_SIZE(optiks_device_result_t);
  EXPECT_SIZE(optiks_own_key_result_t);
  expect(optiks_sizeof("optiks_unknown_t") == 0 && optiks_sizeof(NULL) == 0, "unknown names have no size");

  optiks_dir_options_t options;
  memset(&options, 0, sizeof(options));
  options.max_value_len = 1000;
  optiks_dir_t* dir = NULL;
  expect(optiks_dir_create(&options, &dir) == OPTIKS_E_KEY && dir == NULL, "a zero secret is refused");
  char text[8];
  optiks_last_error(text, sizeof(text));
  expect(strlen(text) == sizeof(text) - 1, "the last error is cut to the buffer");
  for (int i = 0; i < OPTIKS_NUM_STRUCTURES; ++i) {
    options.vrf_secret[i][0] = (uint8_t)(i + 1);
  }
  expect(optiks_dir_create(&options, &dir) == OPTIKS_OK && dir != NULL, "create");
  optiks_last_error(text, sizeof(text));
  expect(text[0] == '\0', "success clears the last error");

  const uint8_t structure = OPTIKS_KEYS;
  const uint8_t key[] = "c";
  const uint64_t key_offsets[] = {0, 1};
  const uint8_t value[] = "value";
  const uint64_t value_offsets[] = {0, 5};
  optiks_leaf_t leaf;
  optiks_staged_t* staged = NULL;
  uint8_t states[OPTIKS_STATES_LEN];
  uint64_t epoch = 0;
  expect(optiks_dir_prepare(dir, 1, 1, &structure, key, key_offsets, value, value_offsets, &leaf) == OPTIKS_OK,
         "prepare");
  expect(optiks_dir_stage(dir, 1, &leaf, 1, value, 5, 1, &staged) == OPTIKS_OK, "stage");
  expect(optiks_staged_commit(staged) == OPTIKS_OK, "commit");
  expect(optiks_dir_states(dir, &epoch, states) == OPTIKS_OK && epoch == 1, "states");
  optiks_dir_destroy(dir);
  optiks_dir_destroy(NULL);
  optiks_staged_destroy(NULL);
  optiks_view_destroy(NULL);
  if (failures == 0) {
    puts("ok");
  }
  return failures == 0 ? 0 : 1;
}
