/* The C ABI of liboptiks: what C# (and any other language) calls.
 *
 * The contract
 *  1. Handles are opaque. Each handle that a call makes has one _destroy, which accepts NULL.
 *  2. Functions return an int32_t: OPTIKS_OK (0) or an OPTIKS_E_... (negative). Results go to out-parameters, which are
 * untouched on error unless stated. Verification is not an error: its verdict is an out-parameter, a number of
 * docs/spec/reasons.md.
 *  3. Nothing throws across this boundary; running out of memory is OPTIKS_E_MEMORY and leaves every handle as it was.
 *  4. The caller owns all buffers. Variable output takes (out, capacity, out_len): out_len receives the needed length,
 * and with less capacity the result is OPTIKS_E_BUFFER. After any error the octets of out are unspecified; nothing is
 * ever written beyond its capacity. Batches are flat arrays; byte strings
 * of a batch are one blob and n+1 offsets (offset[0] = 0).
 *  5. Lengths are size_t, everything else has fixed width. Pointers may be NULL where their length is 0.
 *  6. Text of the last error on this thread: optiks_last_error(). It never holds secrets or user data.
 *  7. Thread rules are stated at each handle.
 *  8. A caller checks optiks_abi_version() == OPTIKS_ABI_VERSION, optiks_sizeof(...) and optiks_kernel(...) once at
 * start-up.
 *  9. The library never calls back.
 */
#ifndef OPTIKS_OPTIKS_H
#define OPTIKS_OPTIKS_H

#include <stddef.h>
#include <stdint.h>

#include "optiks/types.h"
#include "optiks/verdicts.h"

#if defined(_WIN32)
#define OPTIKS_EXPORT __declspec(dllexport)
#else
#define OPTIKS_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- library
 * ---------------------------------------------------------------------------------------------------------------- */

OPTIKS_EXPORT uint32_t optiks_abi_version(void);
/* Size of the named struct ("optiks_leaf_t", ...), 0 for an unknown name. */
OPTIKS_EXPORT size_t optiks_sizeof(const char* name);
/* Name of the kernel that batches of VRF calls and of hashes run on (optiks/base/kernel.h); contract rule 4. Chosen
 * once in a process: the fastest that the processor has, or what the environment variable OPTIKS_FORCE_KERNEL names.
 * OPTIKS_E_ARGUMENT when that is no kernel, or none that this processor has: a program that gets it must not go on,
 * because every batch call then aborts. */
OPTIKS_EXPORT int32_t optiks_kernel(char* out, size_t capacity, size_t* out_len);
/* UTF-8, NUL-terminated, at most capacity octets (truncated if need be); empty when the last call on this thread
 * succeeded. */
OPTIKS_EXPORT void optiks_last_error(char* out, size_t capacity);
/* Name of a reason of docs/spec/reasons.md ("member_root"); contract rule 4. OPTIKS_E_ARGUMENT for an unknown number.
 */
OPTIKS_EXPORT int32_t optiks_reason_name(int32_t reason, char* out, size_t capacity, size_t* out_len);
/* The form of a username in a log with username_form = 1 (docs/spec/usernames.md), of at most max_len <= 255 octets.
 * out_fault: OPTIKS_NAME_VALID, or why it has none; the form is only written when valid; contract rule 4. Any thread.
 */
OPTIKS_EXPORT int32_t optiks_username_prepare(const uint8_t* name, size_t len, size_t max_len, int32_t* out_fault,
                                              uint8_t* out, size_t capacity, size_t* out_len);
/* Overwrites memory in a way that is not optimised away. */
OPTIKS_EXPORT void optiks_zeroize(void* p, size_t len);

/* ---- hashes and keys: stateless, any thread
 * ------------------------------------------------------------------------------------ */

/* H(tag, data...) of docs/spec/encoding.md section 1: BLAKE2b-256 over tag || data. */
OPTIKS_EXPORT int32_t optiks_hash(uint8_t tag, const uint8_t* data, size_t len, uint8_t out[32]);
/* New VRF secret key from the system's random generator. */
OPTIKS_EXPORT int32_t optiks_vrf_generate(uint8_t out_secret[32], uint8_t out_public[32]);
/* OPTIKS_E_KEY unless 1 <= secret < N. */
OPTIKS_EXPORT int32_t optiks_vrf_public(const uint8_t secret[32], uint8_t out_public[32]);
/* OPTIKS_E_KEY if the public key is not valid (docs/spec/vrf.md section 3). */
OPTIKS_EXPORT int32_t optiks_vrf_validate(const uint8_t public_key[32]);
/* A label with its proof; for tools and tests (a directory proves by itself). */
OPTIKS_EXPORT int32_t optiks_vrf_prove(const uint8_t secret[32], const uint8_t* alpha, size_t alpha_len,
                                       uint8_t out_label[32], uint8_t out_proof[OPTIKS_VRF_PROOF_LEN]);
/* out_reason: 0 or a reason; out_label valid when 0. */
OPTIKS_EXPORT int32_t optiks_vrf_verify(const uint8_t public_key[32], const uint8_t* alpha, size_t alpha_len,
                                        const uint8_t proof[OPTIKS_VRF_PROOF_LEN], int32_t* out_reason,
                                        uint8_t out_label[32]);

/* Ed25519 (RFC 8032, libsodium). The seed is the 32-octet secret. Verification is strict: canonical S and points, no
 * small-order keys. out_ok is 0 or 1. */
OPTIKS_EXPORT int32_t optiks_ed25519_public(const uint8_t seed[32], uint8_t out_public[32]);
OPTIKS_EXPORT int32_t optiks_ed25519_sign(const uint8_t seed[32], const uint8_t* message, size_t len,
                                          uint8_t out_signature[64]);
OPTIKS_EXPORT int32_t optiks_ed25519_verify(const uint8_t public_key[32], const uint8_t* message, size_t len,
                                            const uint8_t signature[64], int32_t* out_ok);

/* ---- directory: the trees of a log, with what a task or a replica needs per key
 * --------------------------------------------------- Thread rules: one thread at a time may load, stage, commit or
 * discard (the writer). Any number of threads may take views, and use and destroy them, at any time, also after the
 * directory was destroyed. Readers never wait for the writer nor for each other. Secrets: the VRF keys and the tag keys
 * are copied into memory that is locked as far as RLIMIT_MEMLOCK allows, and zeroized
 * with the last handle.
 */
typedef struct optiks_dir optiks_dir_t;
typedef struct optiks_staged optiks_staged_t;
typedef struct optiks_view optiks_view_t;

OPTIKS_EXPORT int32_t optiks_dir_create(const optiks_dir_options_t* options, optiks_dir_t** out);
/* Makes the directory of a snapshot that optiks_view_save wrote, at its epoch, with the leaf log at leaf_log_path,
 * which must be the one of then; it is cut to its length of then, and gone on with. OPTIKS_E_DATA: the file is damaged,
 * of another version of the format, or of other secrets, another period or other values kept than the options say.
 * OPTIKS_E_IO: it or its leaf log cannot be read. optiks_last_error() says which. Nothing but checksums says that the
 * trees are those of the log: the caller compares the states with the signed record of the epoch.
 * With a node_store_path the directory is made there, in stored mode, and all is checked as by optiks_dir_check, with
 * the threads of the options. OPTIKS_E_STATE: the node store has a directory already. Takes some 170 octets a leaf of
 * disk meanwhile, and 160 MB of memory; after an error the node store's folder is of no use. */
OPTIKS_EXPORT int32_t optiks_dir_restore(const optiks_dir_options_t* options, const char* path, optiks_dir_t** out);
/* Reads all of a directory's leaf log and computes all hashes of its trees again, for a snapshot that came from
 * elsewhere. OPTIKS_E_DATA or OPTIKS_E_IO unless trees, records, values and the table of keys agree with each other and
 * with the states. Linked mode only (OPTIKS_E_STATE): optiks_dir_restore does so in stored mode. Writer thread, with
 * those of the options; takes as long as reading the leaf log in any order does. */
OPTIKS_EXPORT int32_t optiks_dir_check(const optiks_dir_t* dir);
OPTIKS_EXPORT void optiks_dir_destroy(optiks_dir_t* dir);

/* Appends stored leaves in (epoch, ordinal) order without proofs: start-up. Whole epochs at a time; checks order,
 * versions (each key's go up by one) and duplicates (OPTIKS_E_DATA, OPTIKS_E_DUPLICATE), not the VRF. The first call
 * may start at any epoch > 0. After each call epoch is the directory's epoch, but for the first load into a node store:
 * there it is that of the last call after optiks_dir_load_end, and nothing else may be done with the directory before.
 * No view may be alive or taken meanwhile. Not atomic: after an error destroy the directory. */
OPTIKS_EXPORT int32_t optiks_dir_load(optiks_dir_t* dir, uint64_t epoch, const optiks_leaf_t* leaves, size_t num_leaves,
                                      const uint8_t* values, size_t values_len);

/* Ends the loading. In stored mode the first leaves of a node store are put into it here, all together, as
 * optiks_dir_restore does; that they contradict each other may show only now (errors as above). Until then they take up
 * to 140 octets a leaf of disk. A process that dies before the end leaves a node store that is empty or of no use
 * (OPTIKS_E_IO). */
OPTIKS_EXPORT int32_t optiks_dir_load_end(optiks_dir_t* dir);

/* tag of each key, 16 octets each. */
OPTIKS_EXPORT int32_t optiks_dir_tags(const optiks_dir_t* dir, size_t n, const uint8_t* structures, const uint8_t* keys,
                                      const uint64_t* key_offsets, uint8_t* out_tags);
/* Latest version of each key in the committed state, 0: none. In an oZKS, whose keys have no versions, 1: the key is
 * there. Writer thread only. */
OPTIKS_EXPORT int32_t optiks_dir_versions(const optiks_dir_t* dir, size_t n, const uint8_t* structures,
                                          const uint8_t* keys, const uint64_t* key_offsets, uint64_t* out_versions);

/* Latest value of each key in the committed state, one after another; out_ends[i] = end of the i-th. out_kept[i] 0: the
 * key has none, or it was erased; its value is then of no octets. OPTIKS_E_STATE: the directory does not keep this
 * structure's values. Writer thread only. */
OPTIKS_EXPORT int32_t optiks_dir_newest_values(const optiks_dir_t* dir, uint8_t structure, size_t n,
                                               const uint8_t* keys, const uint64_t* key_offsets, uint8_t* out,
                                               size_t capacity, size_t* out_len, uint64_t* out_ends, uint8_t* out_kept);

/* Computes the labels of the next leaves of these keys ahead of the optiks_dir_prepare that will want them, for example
 * while the epoch before is being committed. A cache: prepare gives the same leaves without it, only later, and a label
 * whose key has another version by then is not used. The labels of all calls are kept until the next prepare. Beside
 * the writer: any thread, one at a time. Takes as long as the labels do. */
OPTIKS_EXPORT int32_t optiks_dir_precompute_labels(optiks_dir_t* dir, size_t n, const uint8_t* structures,
                                                   const uint8_t* keys, const uint64_t* key_offsets);

/* Makes the leaves of the next epoch: for each update the next version of its key, its VRF label, a fresh random
 * opening and the commitment; sorted by (structure, label), value_offset and value_len pointing into `values`, input
 * index set. Changes nothing. A key twice is OPTIKS_E_DUPLICATE. Writer thread only. Keys are 1..255 octets. */
OPTIKS_EXPORT int32_t optiks_dir_prepare(const optiks_dir_t* dir, uint64_t epoch, size_t n, const uint8_t* structures,
                                         const uint8_t* keys, const uint64_t* key_offsets, const uint8_t* values,
                                         const uint64_t* value_offsets, optiks_leaf_t* out_leaves);

/* Builds the trees of the next epoch beside the current ones. epoch must be the directory's + 1 (a directory that was
 * never loaded is at epoch 0). Nothing is visible until commit. With_proofs != 0: the append-only proof of the step is
 * made as well. One staged epoch at a time. Its records are in the leaf log's file afterwards (OPTIKS_E_IO when it
 * takes none: nothing is staged then). */
OPTIKS_EXPORT int32_t optiks_dir_stage(optiks_dir_t* dir, uint64_t epoch, const optiks_leaf_t* leaves,
                                       size_t num_leaves, const uint8_t* values, size_t values_len, int32_t with_proofs,
                                       optiks_staged_t** out);
/* A StructureState of each structure (docs/spec/records.md section 2): root, count, VRF public key. */
OPTIKS_EXPORT int32_t optiks_staged_states(const optiks_staged_t* staged, uint8_t out[OPTIKS_STATES_LEN]);
/* The AppendProof structures (docs/spec/proofs.md section 5) of the step, concatenated. OPTIKS_E_STATE when the
 * epoch was staged without proofs. */
OPTIKS_EXPORT int32_t optiks_staged_append_proofs(const optiks_staged_t* staged, uint8_t* out, size_t capacity,
                                                  size_t* out_len);
/* Makes the staged epoch the directory's: views taken from now on show it. In stored mode log and node store have
 * it on the disk before (OPTIKS_E_IO leaves the old epoch current). Consumes the handle on success. */
OPTIKS_EXPORT int32_t optiks_staged_commit(optiks_staged_t* staged);
/* Discards a staged epoch that was not committed; before its directory is destroyed. */
OPTIKS_EXPORT void optiks_staged_destroy(optiks_staged_t* staged);

/* A directory of a later period than the first whose options have period_first_epoch 0: its period has not begun
 * (docs/spec/periods.md section 2). Nobody gets a view of it, and it prepares and stages nothing (OPTIKS_E_STATE). It
 * takes copies, the leaves of devices and keys that the period begins with, while the period before goes on. Those of
 * usernames and decommissioned, whose secrets the period before has too, it gets by optiks_dir_load, epoch by epoch.
 * optiks_dir_states gives what it has so far. Linked mode only; it cannot be saved until it begins.
 *
 * The first call makes rows of copies: of each key, in devices or keys, the label of version 1, the tag, a fresh
 * opening, the commitment, epoch 0, and as version the one that is copied. Of version 0, and without a value, it makes
 * a row that takes the key out again, with label and tag alone. Sorted by (structure, label), with value_offset,
 * value_len and input index as by optiks_dir_prepare. Changes nothing. A key twice is OPTIKS_E_DUPLICATE. Beside the
 * writer: any thread, one at a time. Takes as long as the labels do. */
OPTIKS_EXPORT int32_t optiks_dir_prepare_copies(const optiks_dir_t* dir, size_t n, const uint8_t* structures,
                                                const uint8_t* keys, const uint64_t* key_offsets,
                                                const uint64_t* versions, const uint8_t* values,
                                                const uint64_t* value_offsets, optiks_leaf_t* out_rows);
/* Takes rows of copies, in any order, in any number of calls. The last row of a key counts; the value of a copy that it
 * takes the place of, or takes out, is erased in the leaf log on return. To take out a key that has no copy changes
 * nothing. OPTIKS_E_DATA, OPTIKS_E_DUPLICATE: a row is none, or contradicts another one; then no row of this call was
 * taken. After OPTIKS_E_IO destroy the directory. Writer. */
OPTIKS_EXPORT int32_t optiks_dir_load_copies(optiks_dir_t* dir, const optiks_leaf_t* rows, size_t num_rows,
                                             const uint8_t* values, size_t values_len);
/* As optiks_dir_stage, for the first epoch of the directory's period: devices and keys are the copies, and the leaves
 * are of usernames and decommissioned alone. The append proofs of the first two are empty (docs/spec/answers.md
 * section 5). When it is committed the period has begun; when it is discarded the directory is as it was, and may begin
 * with a later epoch. Writer. */
OPTIKS_EXPORT int32_t optiks_dir_start_period(optiks_dir_t* dir, uint64_t epoch, const optiks_leaf_t* leaves,
                                              size_t num_leaves, const uint8_t* values, size_t values_len,
                                              int32_t with_proofs, optiks_staged_t** out);

/* Destroys values and openings of n leaves of the directory's epoch, by structure and label (32 octets each), in the
 * leaf log: on the disk on return, and in no answer that begins afterwards, of whatever view. OPTIKS_E_DATA when one is
 * not there: none was erased. Erasing a leaf again changes nothing. Also while an epoch is staged: what that epoch
 * erases is erased before it is committed, so that no crash leaves an epoch without its erasures
 * (docs/spec/erasure.md). With commitments (32 octets each, or NULL) a leaf that is not there, or has another one, is
 * passed over: of the rows of copies of a key, which have one label, only the last is a leaf. Writer. */
OPTIKS_EXPORT int32_t optiks_dir_erase(optiks_dir_t* dir, size_t n, const uint8_t* structures, const uint8_t* labels,
                                       const uint8_t* commitments);
/* Labels (32 octets each) and epochs of the leaves of n versions of a key, from `from` on; in an oZKS of version 0
 * alone. OPTIKS_E_DATA when the key has not all of them. Writer. */
OPTIKS_EXPORT int32_t optiks_dir_leaves(const optiks_dir_t* dir, uint8_t structure, const uint8_t* key, size_t key_len,
                                        uint64_t from, size_t n, uint8_t* out_labels, uint64_t* out_epochs);

/* The directory's current states (as optiks_staged_states) and epoch. Any thread. */
OPTIKS_EXPORT int32_t optiks_dir_states(const optiks_dir_t* dir, uint64_t* out_epoch, uint8_t out[OPTIKS_STATES_LEN]);

typedef struct {
  /* In stored mode tree_bytes is the cache's. The last three of the first list are of stored mode. */
  uint64_t epoch, leaves, tree_bytes, key_table_bytes, leaf_log_bytes, vrf_cache_bytes, vrf_cache_hits,
      vrf_cache_misses, node_store_bytes, node_cache_hits, node_cache_misses;
  uint64_t period, period_first_epoch; /* 0 in a later period than the first: it has not begun */
} optiks_dir_stats_t;
OPTIKS_EXPORT int32_t optiks_dir_stats(const optiks_dir_t* dir, optiks_dir_stats_t* out);

/* An immutable view of the current epoch. Any thread; lock-free. */
OPTIKS_EXPORT int32_t optiks_dir_view(optiks_dir_t* dir, optiks_view_t** out);
OPTIKS_EXPORT void optiks_view_destroy(optiks_view_t* view);
OPTIKS_EXPORT int32_t optiks_view_states(const optiks_view_t* view, uint64_t* out_epoch,
                                         uint8_t out[OPTIKS_STATES_LEN]);

/* Writes a snapshot of the view to a file (docs/operations/snapshots.md), from which optiks_dir_restore makes the
 * directory again: a directory with a leaf_log_path only (OPTIKS_E_STATE). It and the leaf log are on the disk on
 * return; until then, and after any failure, the path has the file that it had. Takes seconds to minutes and four
 * octets a leaf of memory; the directory goes on meanwhile. Any thread, one at a time for a path. Holds no secrets. */
OPTIKS_EXPORT int32_t optiks_view_save(const optiks_view_t* view, const char* path);

/* n Lookup structures (docs/spec/pahd.md section 2) one after another, out_ends[i] = end of the i-th.
 * known_periods/known_versions: what each asker knows (another period or 0: nothing). Any thread. */
OPTIKS_EXPORT int32_t optiks_view_lookup_many(const optiks_view_t* view, uint8_t structure, size_t n,
                                              const uint8_t* keys, const uint64_t* key_offsets,
                                              const uint64_t* known_periods, const uint64_t* known_versions,
                                              uint8_t* out, size_t capacity, size_t* out_len, uint64_t* out_ends);

/* The same from cached VRF proofs alone: microseconds a key, or OPTIKS_E_UNPROVEN as soon as one is missing. */
OPTIKS_EXPORT int32_t optiks_view_lookup_cached(const optiks_view_t* view, uint8_t structure, size_t n,
                                                const uint8_t* keys, const uint64_t* key_offsets,
                                                const uint64_t* known_periods, const uint64_t* known_versions,
                                                uint8_t* out, size_t capacity, size_t* out_len, uint64_t* out_ends);

/* The parts (none) and users of a UserLookupAnswer (docs/spec/users.md), all from the view; queries: a UserQueryList
 * (docs/spec/rest.md section 4). Nothing is written, and out_len is 0, if a client is ahead, or if there is more than
 * one query and num_entries is above max_entries: the summary stops where that is known. Any thread. */
OPTIKS_EXPORT int32_t optiks_view_users_summary(const optiks_view_t* view, const uint8_t* queries, size_t queries_len,
                                                uint64_t max_entries, optiks_users_summary_t* out_summary);

/* The same, and the answer, from cached VRF proofs alone; OPTIKS_E_UNPROVEN, with the summary, when one is missing. */
OPTIKS_EXPORT int32_t optiks_view_users_cached(const optiks_view_t* view, const uint8_t* queries, size_t queries_len,
                                               uint64_t max_entries, uint8_t* out, size_t capacity, size_t* out_len,
                                               optiks_users_summary_t* out_summary);

/* Says without a proof what optiks_proofs_user_monitor will write. query: a UserMonitorQuery (docs/spec/rest.md
 * section 4). Any thread. */
OPTIKS_EXPORT int32_t optiks_view_user_monitor_summary(const optiks_view_t* view, const uint8_t* query,
                                                       size_t query_len, const optiks_user_monitor_page_t* page,
                                                       optiks_user_monitor_summary_t* out_summary);

/* One Versions structure, for history and monitoring alike. from >= 1; from > a + 1 is answered as from = a + 1 would
 * be but with the `from` asked. At most max_members members and about max_bytes octets (at least one member): otherwise
 * the answer is a page. */
OPTIKS_EXPORT int32_t optiks_view_versions(const optiks_view_t* view, uint8_t structure, const uint8_t* key,
                                           size_t key_len, uint64_t from, uint32_t max_members, size_t max_bytes,
                                           uint8_t* out, size_t capacity, size_t* out_len);

/* VRF proofs that several answers need, made in one batch: add what will be asked, run, ask. An answer that turns out
 * to need more than was added makes that itself. One thread at a time; destroyed before its view. Not atomic: after an
 * error of add or run destroy it. structure: of the answers about keys. max_members and max_entries are those of the
 * question; the asking functions are those of the view. use_cache 0: all proofs are made, whatever is cached, and none
 * is cached: how long an answer takes, now or later, does not depend on who asked for what. */
typedef struct optiks_proofs optiks_proofs_t;
OPTIKS_EXPORT int32_t optiks_proofs_create(const optiks_view_t* view, uint8_t structure, int32_t use_cache,
                                           optiks_proofs_t** out);
OPTIKS_EXPORT void optiks_proofs_destroy(optiks_proofs_t* proofs);
OPTIKS_EXPORT int32_t optiks_proofs_add_lookups(optiks_proofs_t* proofs, size_t n, const uint8_t* keys,
                                                const uint64_t* key_offsets, const uint64_t* known_periods,
                                                const uint64_t* known_versions);
OPTIKS_EXPORT int32_t optiks_proofs_add_versions(optiks_proofs_t* proofs, const uint8_t* key, size_t key_len,
                                                 uint64_t from, uint32_t max_members);
OPTIKS_EXPORT int32_t optiks_proofs_add_users(optiks_proofs_t* proofs, const uint8_t* queries, size_t queries_len,
                                              uint64_t max_entries);
OPTIKS_EXPORT int32_t optiks_proofs_add_user_monitor(optiks_proofs_t* proofs, const uint8_t* query, size_t query_len,
                                                     const optiks_user_monitor_page_t* page);
OPTIKS_EXPORT int32_t optiks_proofs_run(optiks_proofs_t* proofs);
OPTIKS_EXPORT int32_t optiks_proofs_lookup_many(const optiks_proofs_t* proofs, size_t n, const uint8_t* keys,
                                                const uint64_t* key_offsets, const uint64_t* known_periods,
                                                const uint64_t* known_versions, uint8_t* out, size_t capacity,
                                                size_t* out_len, uint64_t* out_ends);
OPTIKS_EXPORT int32_t optiks_proofs_versions(const optiks_proofs_t* proofs, const uint8_t* key, size_t key_len,
                                             uint64_t from, uint32_t max_members, size_t max_bytes, uint8_t* out,
                                             size_t capacity, size_t* out_len);

OPTIKS_EXPORT int32_t optiks_proofs_users(const optiks_proofs_t* proofs, const uint8_t* queries, size_t queries_len,
                                          uint64_t max_entries, uint8_t* out, size_t capacity, size_t* out_len,
                                          optiks_users_summary_t* out_summary);

/* A UserMonitorAnswer but for its head (docs/spec/user-monitor.md), all from the view. Nothing is written, and out_len
 * is 0, if the summary says that it is unanswered. */
OPTIKS_EXPORT int32_t optiks_proofs_user_monitor(const optiks_proofs_t* proofs, const uint8_t* query, size_t query_len,
                                                 const optiks_user_monitor_page_t* page, uint8_t* out, size_t capacity,
                                                 size_t* out_len, optiks_user_monitor_summary_t* out_summary);

/* Merges the append proofs of consecutive steps (each the AppendProof structures as optiks_staged_append_proofs gives
 * them, blob and n+1 offsets; step i leads from epoch first + i - 1 to first + i) into those of the whole range.
 * counts[i] = leaves of each structure before step i (OPTIKS_NUM_STRUCTURES values a step). 1 <= n <= 256.
 * OPTIKS_E_DATA when they do not fit each other. Any thread. */
OPTIKS_EXPORT int32_t optiks_append_merge(size_t n, const uint8_t* proofs, const uint64_t* proof_offsets,
                                          const uint64_t* counts, uint8_t* out, size_t capacity, size_t* out_len);

/* ---- verifier: stateless, any thread, no storage, total on hostile input
 * ---------------------------------------------------------------- */

/* Bounds of a configuration and a log key; log id when valid. */
OPTIKS_EXPORT int32_t optiks_verify_anchor(const optiks_anchor_t* anchor, int32_t* out_reason, uint8_t out_log_id[32]);

/* A Head alone (epochs/latest). */
OPTIKS_EXPORT int32_t optiks_verify_head(const optiks_context_t* context, const uint8_t* head, size_t head_len,
                                         int32_t* out_reason, optiks_head_result_t* out_head);

/* A LookupAnswer for n keys, structure keys. out_failed: index of the key that failed (n when it was none of them).
 * out_results has n elements. */
OPTIKS_EXPORT int32_t optiks_verify_lookup(const optiks_context_t* context, size_t n, const uint8_t* keys,
                                           const uint64_t* key_offsets, const optiks_known_t* known,
                                           const uint8_t* answer, size_t answer_len, int32_t* out_reason,
                                           size_t* out_failed, optiks_head_result_t* out_head,
                                           optiks_lookup_result_t* out_results);

/* A HistoryAnswer or MonitorAnswer for n keys; the first version asked for key i is known[i].version + 1. Entries of
 * all keys one after another in out_entries (capacity in elements; contract rule 4). */
OPTIKS_EXPORT int32_t optiks_verify_versions(const optiks_context_t* context, size_t n, const uint8_t* keys,
                                             const uint64_t* key_offsets, const optiks_known_t* known,
                                             const uint8_t* answer, size_t answer_len, int32_t* out_reason,
                                             size_t* out_failed, optiks_head_result_t* out_head,
                                             optiks_versions_result_t* out_results, optiks_version_entry_t* out_entries,
                                             size_t entries_capacity, size_t* out_num_entries);

/* A UserLookupAnswer (docs/spec/users.md, docs/spec/recycled-names.md) for n users. The strings are four for each user:
 * username, the one device that was asked (empty: all), the known user id (empty: none), the DeviceList of the known
 * version (empty: none); then, for each user in turn, the ids of the devices whose key is known, num_keys of them,
 * strictly increasing. known has n elements of the lists, then one for each of these devices; its least epochs are not
 * used. Devices of all users one after another in out_devices (capacity in elements; contract rule 4). out_failed:
 * index of the user that failed (n when it was none of them). out_record_offset: the record of the largest epoch in the
 * answer, the one to keep. */
OPTIKS_EXPORT int32_t optiks_verify_users(const optiks_context_t* context, size_t n, const uint8_t* strings,
                                          const uint64_t* string_offsets, const optiks_user_state_t* states,
                                          const optiks_known_t* known, const uint8_t* answer, size_t answer_len,
                                          int32_t* out_reason, size_t* out_failed, optiks_head_result_t* out_head,
                                          size_t* out_record_offset, optiks_user_result_t* out_users,
                                          optiks_device_result_t* out_devices, size_t devices_capacity,
                                          size_t* out_num_devices);

/* A UserMonitorAnswer (docs/spec/user-monitor.md) about one user. The strings are the user id; num_names names; the
 * kept list (empty: none); then the ids that the query names, state->num_keys of them, strictly increasing. known has
 * an element for the list, then one for each of these ids; its least epochs are not used. out_has_left: 1 if the user
 * has left, and then there is nothing but the head. The entries of the list come first in out_entries, then those of
 * each followed id in the order of out_keys (capacities in elements; contract rule 4). */
OPTIKS_EXPORT int32_t optiks_verify_user_monitor(
    const optiks_context_t* context, const optiks_user_state_t* state, size_t num_names, const uint8_t* strings,
    const uint64_t* string_offsets, const optiks_known_t* known, const uint8_t* answer, size_t answer_len,
    int32_t* out_reason, optiks_head_result_t* out_head, int32_t* out_has_left, optiks_versions_result_t* out_list,
    optiks_own_key_result_t* out_keys, size_t keys_capacity, size_t* out_num_keys, optiks_version_entry_t* out_entries,
    size_t entries_capacity, size_t* out_num_entries);

/* A PeriodsAnswer from `period` on (docs/spec/periods.md section 4), which is that of the kept record or an earlier
 * one. out_bounds: where the records begin in the answer (capacity in elements; contract rule 4). */
OPTIKS_EXPORT int32_t optiks_verify_periods(const optiks_context_t* context, uint64_t period, const uint8_t* answer,
                                            size_t answer_len, int32_t* out_reason, optiks_head_result_t* out_head,
                                            size_t* out_bounds, size_t bounds_capacity, size_t* out_num_bounds);

/* The hand-over of one key (docs/spec/periods.md section 6): head and list of an answer that was accepted, of the
 * period after that of `end`, whose list is from version 1 on. first_entry is its entry of version 1, NULL if it lists
 * none. */
OPTIKS_EXPORT int32_t optiks_verify_handover(const optiks_head_result_t* head,
                                             const optiks_version_entry_t* first_entry, const uint8_t* answer,
                                             size_t answer_len, const optiks_end_t* end, int32_t* out_reason);

/* An AuditProof from the auditor's stored record and the record of the first epoch of its period (the same when the
 * stored record is of that epoch), which the log's checkpoint covers too: the caller saw to that. The new record (of
 * epoch b) is out_record. out_structures: bit s - 1 is set when structure s was verified, all but at a switch of
 * the period. Nothing that the context keeps is used. */
OPTIKS_EXPORT int32_t optiks_verify_audit(const optiks_context_t* context, const uint8_t* stored_record,
                                          const uint8_t* period_record, const uint8_t* proof, size_t proof_len,
                                          int32_t* out_reason, uint8_t out_record[OPTIKS_RECORD_LEN],
                                          uint32_t* out_structures);

/* Two LeafStatements as evidence that a tree did not only grow (docs/spec/broken-append.md section 2). out_reason is
 * that of leaf_contradicts when they are, and never 0. */
OPTIKS_EXPORT int32_t optiks_judge_leaves(const optiks_anchor_t* anchor, const uint8_t* first, size_t first_len,
                                          const uint8_t* second, size_t second_len, int32_t* out_reason);

/* A record by itself and against a kept one of the log: docs/spec/records.md sections 3 to 5. kept may be NULL, and
 * kept_period_record as in optiks_context_t. */
OPTIKS_EXPORT int32_t optiks_verify_record(const optiks_anchor_t* anchor, const uint8_t record[OPTIKS_RECORD_LEN],
                                           const uint8_t* kept, const uint8_t* kept_period_record, int32_t* out_reason);

/* A checkpoint by itself (docs/spec/board.md section 2): size and root when valid. */
OPTIKS_EXPORT int32_t optiks_verify_checkpoint(const optiks_anchor_t* anchor, const uint8_t* note, size_t note_len,
                                               int32_t* out_reason, uint64_t* out_size, uint8_t out_root[32]);

/* RFC 6962 proofs over 32-octet hashes, one after another. out_ok is 0 or 1. */
OPTIKS_EXPORT int32_t optiks_verify_inclusion(uint64_t index, uint64_t size, const uint8_t leaf_hash[32],
                                              const uint8_t root[32], const uint8_t* proof, size_t num_hashes,
                                              int32_t* out_ok);
OPTIKS_EXPORT int32_t optiks_verify_consistency(uint64_t old_size, uint64_t new_size, const uint8_t old_root[32],
                                                const uint8_t new_root[32], const uint8_t* proof, size_t num_hashes,
                                                int32_t* out_ok);

#ifdef __cplusplus
}
#endif
#endif
