/* clang-format off */
/* The C ABI of liboptiks, which C# and any other language calls.
 *
 * The contract
 *  1. Handles are opaque. Each kind of handle has a _destroy function, which accepts NULL. The caller destroys each
 *     handle once.
 *  2. Functions return an int32_t: OPTIKS_OK (0) or an OPTIKS_E_... (negative). Results go to out-parameters, which an
 *     error leaves untouched unless stated. A failed verification is not an error: the verdict is an out-parameter,
 *     a number of docs/spec/reasons.md.
 *  3. Nothing throws across this boundary. Running out of memory is OPTIKS_E_MEMORY and leaves every handle as it was.
 *  4. The caller owns all buffers. Variable output takes (out, capacity, out_len): out_len receives the needed length,
 *     and with less capacity the result is OPTIKS_E_BUFFER. After any error the octets of out are unspecified. A call
 *     never writes beyond the capacity. Batches are flat arrays; the byte strings of a batch are one blob and
 *     n+1 offsets (offset[0] = 0).
 *  5. Lengths are size_t; everything else has a fixed width. A pointer may be NULL if its length is 0.
 *  6. optiks_last_error() returns the text of the last error on this thread. It never holds secrets or user data.
 *  7. The comment at each handle states its thread rules.
 *  8. At start-up a caller checks once that optiks_abi_version() == OPTIKS_ABI_VERSION, and checks optiks_sizeof(...)
 *     and optiks_kernel(...).
 *  9. The library never calls back.
 */
/* clang-format on */
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

/* ---- Library ---- */

OPTIKS_EXPORT uint32_t optiks_abi_version(void);
/* Size of the named struct ("optiks_leaf_t", ...), or 0 for an unknown name. */
OPTIKS_EXPORT size_t optiks_sizeof(const char* name);
/* Returns the name of the kernel that runs batches of VRF calls and of hashes (optiks/base/kernel.h); contract rule 4.
 * The library chooses the kernel once in a process: the fastest that the processor supports, or the kernel that the
 * environment variable OPTIKS_FORCE_KERNEL names. OPTIKS_E_ARGUMENT if OPTIKS_FORCE_KERNEL names an unknown kernel, or
 * a kernel that this processor does not support. The program must then stop: every batch call would abort. */
OPTIKS_EXPORT int32_t optiks_kernel(char* out, size_t capacity, size_t* out_len);
/* Copies the last error of this thread: UTF-8, NUL-terminated, at most capacity octets, truncated if it is longer. The
 * text is empty if the last call on this thread succeeded. */
OPTIKS_EXPORT void optiks_last_error(char* out, size_t capacity);
/* Name of a reason of docs/spec/reasons.md ("member_root"); contract rule 4. OPTIKS_E_ARGUMENT for an
 * unknown number. */
OPTIKS_EXPORT int32_t optiks_reason_name(int32_t reason, char* out, size_t capacity, size_t* out_len);
/* Computes the form of a username in a log with username_form = 1 (docs/spec/usernames.md), of at most max_len <= 255
 * octets. out_fault: OPTIKS_NAME_VALID, or the reason why the username has no form. The form is written, by contract
 * rule 4, only if the username is valid. Any thread. */
OPTIKS_EXPORT int32_t optiks_username_prepare(const uint8_t* name, size_t len, size_t max_len, int32_t* out_fault,
                                              uint8_t* out, size_t capacity, size_t* out_len);
/* Overwrites memory in a way that the compiler does not optimise away. */
OPTIKS_EXPORT void optiks_zeroize(void* p, size_t len);

/* ---- Hashes and keys: stateless, any thread ---- */

/* H(tag, data...) of docs/spec/encoding.md section 1: BLAKE2b-256 over tag || data. */
OPTIKS_EXPORT int32_t optiks_hash(uint8_t tag, const uint8_t* data, size_t len, uint8_t out[32]);
/* Makes a VRF secret key with the system's random generator. */
OPTIKS_EXPORT int32_t optiks_vrf_generate(uint8_t out_secret[32], uint8_t out_public[32]);
/* Computes the VRF public key. OPTIKS_E_KEY unless 1 <= secret < N. */
OPTIKS_EXPORT int32_t optiks_vrf_public(const uint8_t secret[32], uint8_t out_public[32]);
/* OPTIKS_E_KEY if the public key is not valid (docs/spec/vrf.md section 3). */
OPTIKS_EXPORT int32_t optiks_vrf_validate(const uint8_t public_key[32]);
/* Computes a label with its proof. For tools and tests: a directory makes its own proofs. */
OPTIKS_EXPORT int32_t optiks_vrf_prove(const uint8_t secret[32], const uint8_t* alpha, size_t alpha_len,
                                       uint8_t out_label[32], uint8_t out_proof[OPTIKS_VRF_PROOF_LEN]);
/* out_reason: 0, or the reason why the proof is refused. out_label is valid only if out_reason is 0. */
OPTIKS_EXPORT int32_t optiks_vrf_verify(const uint8_t public_key[32], const uint8_t* alpha, size_t alpha_len,
                                        const uint8_t proof[OPTIKS_VRF_PROOF_LEN], int32_t* out_reason,
                                        uint8_t out_label[32]);

/* Ed25519 (RFC 8032, libsodium). The seed is the 32-octet secret. Verification is strict: S and points must be
 * canonical, and small-order keys are refused. out_ok is 0 or 1. */
OPTIKS_EXPORT int32_t optiks_ed25519_public(const uint8_t seed[32], uint8_t out_public[32]);
OPTIKS_EXPORT int32_t optiks_ed25519_sign(const uint8_t seed[32], const uint8_t* message, size_t len,
                                          uint8_t out_signature[64]);
OPTIKS_EXPORT int32_t optiks_ed25519_verify(const uint8_t public_key[32], const uint8_t* message, size_t len,
                                            const uint8_t signature[64], int32_t* out_ok);

/* ---- Directory ---- */

/* A directory holds the trees of a log, with what a task or a replica needs for each key.
 *
 * Thread rules
 *  - One thread at a time may load, stage, commit or discard: the writer.
 *  - Any number of threads may take, use and destroy views at any time, even after the directory was destroyed.
 *  - Readers wait neither for the writer nor for each other.
 *
 * Secrets: the directory copies the VRF keys and the tag keys. It locks their memory as far as RLIMIT_MEMLOCK allows,
 * and zeroizes it with the last handle. */
typedef struct optiks_dir optiks_dir_t;
typedef struct optiks_staged optiks_staged_t;
typedef struct optiks_view optiks_view_t;

OPTIKS_EXPORT int32_t optiks_dir_create(const optiks_dir_options_t* options, optiks_dir_t** out);
/* Makes a directory from a snapshot that optiks_view_save wrote, at the snapshot's epoch. leaf_log_path names the leaf
 * log that the snapshot was taken with. The call cuts that log to its length at the snapshot, and the directory then
 * appends to it. OPTIKS_E_DATA: the file is damaged or has another version of the format, or its secrets, period or
 * kept values differ from the options. OPTIKS_E_IO: the snapshot or its leaf log cannot be read. optiks_last_error()
 * says which of these it is. Only checksums show that the trees are those of the log: the caller compares the states
 * with the signed record of the epoch.
 *
 * With a node_store_path the call makes the directory there, in stored mode. It checks everything as optiks_dir_check
 * does, with the threads of the options. OPTIKS_E_STATE: the node store already has a directory. The call uses about
 * 170 octets of disk a leaf, and 160 MB of memory. After an error the node store's folder is unusable. */
OPTIKS_EXPORT int32_t optiks_dir_restore(const optiks_dir_options_t* options, const char* path, optiks_dir_t** out);
/* Reads a directory's whole leaf log and recomputes all hashes of its trees, for a snapshot from another machine.
 * OPTIKS_E_DATA or OPTIKS_E_IO unless trees, records, values and the key table agree with each other and with the
 * states. Linked mode only (OPTIKS_E_STATE): in stored mode optiks_dir_restore makes these checks. Writer thread, with
 * the threads of the options. The call takes as long as reading the leaf log in random order. */
OPTIKS_EXPORT int32_t optiks_dir_check(const optiks_dir_t* dir);
OPTIKS_EXPORT void optiks_dir_destroy(optiks_dir_t* dir);

/* Appends stored leaves in (epoch, ordinal) order without proofs, at start-up. Each call takes whole epochs. It checks
 * order, versions (each key's increase by one) and duplicates (OPTIKS_E_DATA, OPTIKS_E_DUPLICATE), but not the VRF. The
 * first call may start at any epoch > 0. After each call, epoch is the directory's epoch. The first load into a node
 * store is different. The directory reaches the epoch of the last call only at optiks_dir_load_end, and allows no other
 * calls before. During a load no view may be alive or taken. Not atomic: after an error destroy the directory. */
OPTIKS_EXPORT int32_t optiks_dir_load(optiks_dir_t* dir, uint64_t epoch, const optiks_leaf_t* leaves, size_t num_leaves,
                                      const uint8_t* values, size_t values_len);

/* Ends the loading. In stored mode, the first load into a node store ends with this call, which puts all leaves into
 * the store together, as optiks_dir_restore does. The call then reports contradictions between leaves, with the errors
 * of optiks_dir_load. Before this call the leaves use up to 140 octets of disk each. A process that dies before the end
 * of the load leaves a node store that is empty or unusable (OPTIKS_E_IO). */
OPTIKS_EXPORT int32_t optiks_dir_load_end(optiks_dir_t* dir);

/* Computes the tag of each key. A tag has 16 octets. */
OPTIKS_EXPORT int32_t optiks_dir_tags(const optiks_dir_t* dir, size_t n, const uint8_t* structures, const uint8_t* keys,
                                      const uint64_t* key_offsets, uint8_t* out_tags);
/* Returns the latest version of each key in the committed state; 0 if the key is absent. Keys of an oZKS have no
 * versions: 1 says that such a key is present. Writer thread only. */
OPTIKS_EXPORT int32_t optiks_dir_versions(const optiks_dir_t* dir, size_t n, const uint8_t* structures,
                                          const uint8_t* keys, const uint64_t* key_offsets, uint64_t* out_versions);

/* Writes the latest value of each key in the committed state, one after another; out_ends[i] is the end of the i-th
 * value. out_kept[i] is 0 if the key has no value or its value was erased; that value is then empty. OPTIKS_E_STATE:
 * the directory does not keep this structure's values. Writer thread only. */
OPTIKS_EXPORT int32_t optiks_dir_newest_values(const optiks_dir_t* dir, uint8_t structure, size_t n,
                                               const uint8_t* keys, const uint64_t* key_offsets, uint8_t* out,
                                               size_t capacity, size_t* out_len, uint64_t* out_ends, uint8_t* out_kept);

/* Computes the labels of the next leaves of these keys before optiks_dir_prepare needs them, for example while the
 * previous epoch is being committed. This is only a cache: without it prepare makes the same leaves, but takes longer.
 * Prepare ignores a label if the version of its key has changed. All labels are kept until the next prepare. Any thread
 * may make this call, one thread at a time, also while the writer works. The call takes as long as computing the
 * labels. */
OPTIKS_EXPORT int32_t optiks_dir_precompute_labels(optiks_dir_t* dir, size_t n, const uint8_t* structures,
                                                   const uint8_t* keys, const uint64_t* key_offsets);

/* Makes the leaves of the next epoch, one for each update: the next version of its key, its VRF label, a fresh random
 * opening and the commitment. They are sorted by (structure, label); value_offset and value_len point into `values`,
 * and the input index is set. The directory does not change. OPTIKS_E_DUPLICATE if a key occurs twice. Writer thread
 * only. Keys are 1..255 octets. */
OPTIKS_EXPORT int32_t optiks_dir_prepare(const optiks_dir_t* dir, uint64_t epoch, size_t n, const uint8_t* structures,
                                         const uint8_t* keys, const uint64_t* key_offsets, const uint8_t* values,
                                         const uint64_t* value_offsets, optiks_leaf_t* out_leaves);

/* Builds the trees of the next epoch next to the current ones. epoch must be the directory's epoch plus 1 (a directory
 * that was never loaded is at epoch 0). No reader sees the epoch until it is committed. With with_proofs != 0 the call
 * also makes the append-only proof of the step. A directory has at most one staged epoch. On return the epoch's records
 * are in the leaf log's file (OPTIKS_E_IO if the records cannot be written: then nothing is staged). */
OPTIKS_EXPORT int32_t optiks_dir_stage(optiks_dir_t* dir, uint64_t epoch, const optiks_leaf_t* leaves,
                                       size_t num_leaves, const uint8_t* values, size_t values_len, int32_t with_proofs,
                                       optiks_staged_t** out);
/* Writes a StructureState of each structure (docs/spec/records.md section 2): root, count, VRF public key. */
OPTIKS_EXPORT int32_t optiks_staged_states(const optiks_staged_t* staged, uint8_t out[OPTIKS_STATES_LEN]);
/* Writes the AppendProof structures (docs/spec/proofs.md section 5) of the step, one after another. OPTIKS_E_STATE if
 * the epoch was staged without proofs. */
OPTIKS_EXPORT int32_t optiks_staged_append_proofs(const optiks_staged_t* staged, uint8_t* out, size_t capacity,
                                                  size_t* out_len);
/* Makes the staged epoch the directory's current epoch, which views that are taken afterwards show. In stored mode the
 * leaf log and the node store write it to disk first (OPTIKS_E_IO leaves the old epoch current). Consumes the handle on
 * success. */
OPTIKS_EXPORT int32_t optiks_staged_commit(optiks_staged_t* staged);
/* Discards a staged epoch that was not committed. Call it before you destroy the directory. */
OPTIKS_EXPORT void optiks_staged_destroy(optiks_staged_t* staged);

/* The next three calls are for a directory whose period has not begun (docs/spec/periods.md section 2). It is a later
 * period than the first, and period_first_epoch is 0 in the options. Such a directory gives no views, and prepares and
 * stages nothing (OPTIKS_E_STATE). While the previous period continues, it takes copies: the leaves of devices and keys
 * that its period begins with. It gets the leaves of usernames and decommissioned, whose secrets the previous period
 * shares, through optiks_dir_load, epoch by epoch. optiks_dir_states returns the states so far. Linked mode only; the
 * directory cannot be saved until its period begins.
 *
 * The first call makes rows of copies. For each key, in devices or keys, a row has the label of version 1, the tag, a
 * fresh opening, the commitment and epoch 0. The version in the row is the version that was copied. For version 0,
 * without a value, the call makes a row that removes the key, with label and tag alone. The rows are sorted by
 * (structure, label), with value_offset, value_len and input index as from optiks_dir_prepare. The directory does not
 * change. OPTIKS_E_DUPLICATE if a key occurs twice. Any thread may make this call, one thread at a time, also while the
 * writer works. The call takes as long as computing the labels. */
OPTIKS_EXPORT int32_t optiks_dir_prepare_copies(const optiks_dir_t* dir, size_t n, const uint8_t* structures,
                                                const uint8_t* keys, const uint64_t* key_offsets,
                                                const uint64_t* versions, const uint8_t* values,
                                                const uint64_t* value_offsets, optiks_leaf_t* out_rows);
/* Takes rows of copies, in any order and in any number of calls. The last row of a key counts. On return the leaf log
 * no longer holds the value of a copy that a row replaces or removes. Removing a key that has no copy changes nothing.
 * OPTIKS_E_DATA, OPTIKS_E_DUPLICATE: a row is invalid or contradicts another row; then the call took no row. After
 * OPTIKS_E_IO destroy the directory. Writer thread only. */
OPTIKS_EXPORT int32_t optiks_dir_load_copies(optiks_dir_t* dir, const optiks_leaf_t* rows, size_t num_rows,
                                             const uint8_t* values, size_t values_len);
/* Stages the first epoch of the directory's period, as optiks_dir_stage does for other epochs. Devices and keys consist
 * of the copies; the given leaves are only of usernames and decommissioned. The append proofs of devices and keys are
 * empty (docs/spec/answers.md section 5). The commit begins the period. After a discard the directory is as it was, and
 * may begin with a later epoch. Writer thread only. */
OPTIKS_EXPORT int32_t optiks_dir_start_period(optiks_dir_t* dir, uint64_t epoch, const optiks_leaf_t* leaves,
                                              size_t num_leaves, const uint8_t* values, size_t values_len,
                                              int32_t with_proofs, optiks_staged_t** out);

/* Destroys the values and openings of n leaves of the directory's epoch in the leaf log. Structures and labels (32
 * octets each) name the leaves. On return the erasure is on disk, and no answer that begins afterwards has the values,
 * from any view. OPTIKS_E_DATA if a leaf is absent: then nothing was erased. Erasing a leaf again changes nothing. The
 * call is also allowed while an epoch is staged. The erasures of that epoch are made before its commit, so that no
 * crash leaves an epoch without its erasures (docs/spec/erasure.md). With commitments (32 octets each, or NULL), the
 * call skips a leaf that is absent or has another commitment. Rows of copies of one key share a label, and only the
 * last row is a leaf. Writer thread only. */
OPTIKS_EXPORT int32_t optiks_dir_erase(optiks_dir_t* dir, size_t n, const uint8_t* structures, const uint8_t* labels,
                                       const uint8_t* commitments);
/* Returns the labels (32 octets each) and epochs of the leaves of n versions of a key, beginning with version `from`. A
 * key of an oZKS has only version 0. OPTIKS_E_DATA if the key lacks one of these versions. Writer thread only. */
OPTIKS_EXPORT int32_t optiks_dir_leaves(const optiks_dir_t* dir, uint8_t structure, const uint8_t* key, size_t key_len,
                                        uint64_t from, size_t n, uint8_t* out_labels, uint64_t* out_epochs);

/* Returns the directory's current epoch and the states of its structures, in the form of optiks_staged_states. Any
 * thread. */
OPTIKS_EXPORT int32_t optiks_dir_states(const optiks_dir_t* dir, uint64_t* out_epoch, uint8_t out[OPTIKS_STATES_LEN]);

typedef struct {
  /* In stored mode tree_bytes is the size of the cache. Only stored mode sets the last three fields of this list. */
  uint64_t epoch, leaves, tree_bytes, key_table_bytes, leaf_log_bytes, vrf_cache_bytes, vrf_cache_hits,
      vrf_cache_misses, node_store_bytes, node_cache_hits, node_cache_misses;
  uint64_t period, period_first_epoch; /* period_first_epoch is 0 if a later period than the first has not begun */
} optiks_dir_stats_t;
OPTIKS_EXPORT int32_t optiks_dir_stats(const optiks_dir_t* dir, optiks_dir_stats_t* out);

/* Returns an immutable view of the current epoch. Any thread; lock-free. */
OPTIKS_EXPORT int32_t optiks_dir_view(optiks_dir_t* dir, optiks_view_t** out);
OPTIKS_EXPORT void optiks_view_destroy(optiks_view_t* view);
OPTIKS_EXPORT int32_t optiks_view_states(const optiks_view_t* view, uint64_t* out_epoch,
                                         uint8_t out[OPTIKS_STATES_LEN]);

/* Writes a snapshot of the view to a file (docs/operations/snapshots.md), from which optiks_dir_restore makes the
 * directory again. The directory must have a leaf_log_path (OPTIKS_E_STATE). On return the snapshot and the leaf log
 * are on disk; until then, and after any failure, the previous file is still at the path. The call takes seconds to
 * minutes, and four octets of memory a leaf; the directory continues to work. Any thread may make this call, one thread
 * at a time for a path. The snapshot holds no secrets. */
OPTIKS_EXPORT int32_t optiks_view_save(const optiks_view_t* view, const char* path);

/* Writes n Lookup structures (docs/spec/pahd.md section 2), one after another; out_ends[i] is the end of the i-th
 * structure. known_versions[i] is the version of key i that the client knows, and known_periods[i] is its period. With
 * another period than the view's, or with version 0, the client knows nothing. Any thread. */
OPTIKS_EXPORT int32_t optiks_view_lookup_many(const optiks_view_t* view, uint8_t structure, size_t n,
                                              const uint8_t* keys, const uint64_t* key_offsets,
                                              const uint64_t* known_periods, const uint64_t* known_versions,
                                              uint8_t* out, size_t capacity, size_t* out_len, uint64_t* out_ends);

/* Writes the same structures as optiks_view_lookup_many, from cached VRF proofs alone, in microseconds a key. Returns
 * OPTIKS_E_UNPROVEN as soon as a proof is missing. */
OPTIKS_EXPORT int32_t optiks_view_lookup_cached(const optiks_view_t* view, uint8_t structure, size_t n,
                                                const uint8_t* keys, const uint64_t* key_offsets,
                                                const uint64_t* known_periods, const uint64_t* known_versions,
                                                uint8_t* out, size_t capacity, size_t* out_len, uint64_t* out_ends);

/* Says without a proof what optiks_proofs_users will write: the parts (an empty list) and users of a UserLookupAnswer
 * (docs/spec/users.md), all from the view. queries is a UserQueryList (docs/spec/rest.md section 4). In two cases there
 * is no answer: nothing is written, and out_len is 0. Either a client knows more than the view, or there are several
 * queries and num_entries exceeds max_entries. The summary then ends at the user where this became known. Any thread.
 * */
OPTIKS_EXPORT int32_t optiks_view_users_summary(const optiks_view_t* view, const uint8_t* queries, size_t queries_len,
                                                uint64_t max_entries, optiks_users_summary_t* out_summary);

/* Returns the summary of optiks_view_users_summary, and writes the answer from cached VRF proofs alone. If a proof is
 * missing, returns OPTIKS_E_UNPROVEN with the summary. */
OPTIKS_EXPORT int32_t optiks_view_users_cached(const optiks_view_t* view, const uint8_t* queries, size_t queries_len,
                                               uint64_t max_entries, uint8_t* out, size_t capacity, size_t* out_len,
                                               optiks_users_summary_t* out_summary);

/* Says without a proof what optiks_proofs_user_monitor will write. query is a UserMonitorQuery (docs/spec/rest.md
 * section 4). Any thread. */
OPTIKS_EXPORT int32_t optiks_view_user_monitor_summary(const optiks_view_t* view, const uint8_t* query,
                                                       size_t query_len, const optiks_user_monitor_page_t* page,
                                                       optiks_user_monitor_summary_t* out_summary);

/* Writes one Versions structure, for history and monitoring. from >= 1. An answer with from > a + 1 equals the answer
 * with from = a + 1, except that it has the requested `from`. The answer has at most max_members members and about
 * max_bytes octets, but at least one member. If members are missing, the answer is a page. */
OPTIKS_EXPORT int32_t optiks_view_versions(const optiks_view_t* view, uint8_t structure, const uint8_t* key,
                                           size_t key_len, uint64_t from, uint32_t max_members, size_t max_bytes,
                                           uint8_t* out, size_t capacity, size_t* out_len);

/* Makes the VRF proofs of several answers in one batch: add the questions, run the batch, then get the answers. An
 * answer that needs a proof that was not added makes that proof itself. One thread at a time uses the batch; destroy
 * the batch before its view. The calls are not atomic: after an error of add or run, destroy the batch. structure: the
 * structure that the answers about keys are from. max_members and max_entries are parameters of the question, as in the
 * calls of a view with the same names. With use_cache 0 the batch makes every proof, even a cached one, and caches
 * nothing. How long an answer takes then does not depend on earlier requests, and affects no later one. */
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

/* Writes a UserMonitorAnswer without its head (docs/spec/user-monitor.md), all from the view. Nothing is written, and
 * out_len is 0, if the summary says that the question is unanswered. */
OPTIKS_EXPORT int32_t optiks_proofs_user_monitor(const optiks_proofs_t* proofs, const uint8_t* query, size_t query_len,
                                                 const optiks_user_monitor_page_t* page, uint8_t* out, size_t capacity,
                                                 size_t* out_len, optiks_user_monitor_summary_t* out_summary);

/* Merges the append proofs of consecutive steps into the append proofs of the whole range. Each step has the
 * AppendProof structures that optiks_staged_append_proofs returns, as a blob and n+1 offsets; step i leads from epoch
 * first + i - 1 to first + i. counts[i] holds the number of leaves of each structure before step i
 * (OPTIKS_NUM_STRUCTURES values a step). 1 <= n <= 256. OPTIKS_E_DATA if the proofs do not fit each other. Any thread.
 * */
OPTIKS_EXPORT int32_t optiks_append_merge(size_t n, const uint8_t* proofs, const uint64_t* proof_offsets,
                                          const uint64_t* counts, uint8_t* out, size_t capacity, size_t* out_len);

/* ---- Verifier: stateless, any thread, no storage, total on hostile input ---- */

/* Checks the bounds of a configuration and a log key. out_log_id is set if both are valid. */
OPTIKS_EXPORT int32_t optiks_verify_anchor(const optiks_anchor_t* anchor, int32_t* out_reason, uint8_t out_log_id[32]);

/* Verifies a Head alone (epochs/latest). */
OPTIKS_EXPORT int32_t optiks_verify_head(const optiks_context_t* context, const uint8_t* head, size_t head_len,
                                         int32_t* out_reason, optiks_head_result_t* out_head);

/* Verifies a LookupAnswer for n keys of structure keys. out_failed: index of the key that failed, or n if no key did.
 * out_results has n elements. */
OPTIKS_EXPORT int32_t optiks_verify_lookup(const optiks_context_t* context, size_t n, const uint8_t* keys,
                                           const uint64_t* key_offsets, const optiks_known_t* known,
                                           const uint8_t* answer, size_t answer_len, int32_t* out_reason,
                                           size_t* out_failed, optiks_head_result_t* out_head,
                                           optiks_lookup_result_t* out_results);

/* Verifies a HistoryAnswer or MonitorAnswer for n keys. The first version requested for key i is known[i].version + 1.
 * out_entries receives the entries of all keys one after another (capacity in elements; contract rule 4). */
OPTIKS_EXPORT int32_t optiks_verify_versions(const optiks_context_t* context, size_t n, const uint8_t* keys,
                                             const uint64_t* key_offsets, const optiks_known_t* known,
                                             const uint8_t* answer, size_t answer_len, int32_t* out_reason,
                                             size_t* out_failed, optiks_head_result_t* out_head,
                                             optiks_versions_result_t* out_results, optiks_version_entry_t* out_entries,
                                             size_t entries_capacity, size_t* out_num_entries);

/* Verifies a UserLookupAnswer (docs/spec/users.md, docs/spec/recycled-names.md) for n users. strings begins with four
 * strings for each user: the username, the one requested device (empty: all), the known user id (empty: unknown), and
 * the DeviceList of the known version (empty: unknown). Then follow, for each user in turn, the ids of the num_keys
 * devices whose key is known, strictly increasing. known has n elements for the lists, then one element for each of
 * these devices; the least epochs in known are not used. out_devices receives the devices of all users one after
 * another (capacity in elements; contract rule 4). out_failed: index of the user that failed, or n if no user did.
 * out_record_offset: the record of the largest epoch in the answer, which the client keeps. */
OPTIKS_EXPORT int32_t optiks_verify_users(const optiks_context_t* context, size_t n, const uint8_t* strings,
                                          const uint64_t* string_offsets, const optiks_user_state_t* states,
                                          const optiks_known_t* known, const uint8_t* answer, size_t answer_len,
                                          int32_t* out_reason, size_t* out_failed, optiks_head_result_t* out_head,
                                          size_t* out_record_offset, optiks_user_result_t* out_users,
                                          optiks_device_result_t* out_devices, size_t devices_capacity,
                                          size_t* out_num_devices);

/* Verifies a UserMonitorAnswer (docs/spec/user-monitor.md) about one user. The strings are: the user id; num_names
 * names; the kept list (empty: none is kept); then the state->num_keys ids that the query names, strictly increasing.
 * known has one element for the list, then one element for each of these ids; the least epochs in known are not used.
 * out_has_left: 1 if the user has left; the result then has only the head. out_entries receives the entries of the
 * list, then the entries of each followed id in the order of out_keys (capacities in elements; contract rule 4). */
OPTIKS_EXPORT int32_t optiks_verify_user_monitor(
    const optiks_context_t* context, const optiks_user_state_t* state, size_t num_names, const uint8_t* strings,
    const uint64_t* string_offsets, const optiks_known_t* known, const uint8_t* answer, size_t answer_len,
    int32_t* out_reason, optiks_head_result_t* out_head, int32_t* out_has_left, optiks_versions_result_t* out_list,
    optiks_own_key_result_t* out_keys, size_t keys_capacity, size_t* out_num_keys, optiks_version_entry_t* out_entries,
    size_t entries_capacity, size_t* out_num_entries);

/* Verifies a PeriodsAnswer from `period` on (docs/spec/periods.md section 4); `period` is the period of the kept record
 * or an earlier period. out_bounds: the offsets of the records in the answer (capacity in elements; contract rule 4).
 * */
OPTIKS_EXPORT int32_t optiks_verify_periods(const optiks_context_t* context, uint64_t period, const uint8_t* answer,
                                            size_t answer_len, int32_t* out_reason, optiks_head_result_t* out_head,
                                            size_t* out_bounds, size_t bounds_capacity, size_t* out_num_bounds);

/* Verifies the hand-over of one key (docs/spec/periods.md section 6). head and answer belong to an accepted answer
 * whose list begins with version 1, about the period that follows the period of `end`. first_entry is the list's entry
 * of version 1, or NULL if the list is empty. */
OPTIKS_EXPORT int32_t optiks_verify_handover(const optiks_head_result_t* head,
                                             const optiks_version_entry_t* first_entry, const uint8_t* answer,
                                             size_t answer_len, const optiks_end_t* end, int32_t* out_reason);

/* Verifies an AuditProof from the auditor's stored record and the record of the first epoch of its period. Both are the
 * same record if the stored record is of that epoch. The caller has checked that the log's checkpoint covers the record
 * of the first epoch too. out_record receives the new record, of epoch b. out_structures: bit s - 1 is set if structure
 * s was verified; all structures are verified, except at a switch of the period. The context's kept state is not used.
 * */
OPTIKS_EXPORT int32_t optiks_verify_audit(const optiks_context_t* context, const uint8_t* stored_record,
                                          const uint8_t* period_record, const uint8_t* proof, size_t proof_len,
                                          int32_t* out_reason, uint8_t out_record[OPTIKS_RECORD_LEN],
                                          uint32_t* out_structures);

/* Judges two LeafStatements as evidence that a tree did not only grow (docs/spec/broken-append.md section 2).
 * out_reason is never 0: it is the number of leaf_contradicts if the two statements are such evidence. */
OPTIKS_EXPORT int32_t optiks_judge_leaves(const optiks_anchor_t* anchor, const uint8_t* first, size_t first_len,
                                          const uint8_t* second, size_t second_len, int32_t* out_reason);

/* Verifies a record alone and against a kept record of the log: docs/spec/records.md sections 3 to 5. kept may be NULL;
 * kept_period_record is as in optiks_context_t. */
OPTIKS_EXPORT int32_t optiks_verify_record(const optiks_anchor_t* anchor, const uint8_t record[OPTIKS_RECORD_LEN],
                                           const uint8_t* kept, const uint8_t* kept_period_record, int32_t* out_reason);

/* Verifies a checkpoint alone (docs/spec/board.md section 2). out_size and out_root are set if the checkpoint is valid.
 * */
OPTIKS_EXPORT int32_t optiks_verify_checkpoint(const optiks_anchor_t* anchor, const uint8_t* note, size_t note_len,
                                               int32_t* out_reason, uint64_t* out_size, uint8_t out_root[32]);

/* Verify RFC 6962 proofs. A proof is its 32-octet hashes, one after another. out_ok is 0 or 1. */
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
