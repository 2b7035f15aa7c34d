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
 *     and with less capacity the result is OPTIKS_E_BUFFER. After any error the octets of `out` are unspecified. A call
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
/* Returns the size of the struct with this name, for example "optiks_leaf_t"; 0 if no struct has the name. */
OPTIKS_EXPORT size_t optiks_sizeof(const char* name);
/* Writes the name of the kernel that computes batches of VRFs and of hashes (optiks/base/kernel.h), as contract rule 4
 * says. The library chooses the kernel once in a process: the fastest kernel that the processor supports, or the kernel
 * that the environment variable OPTIKS_FORCE_KERNEL names. OPTIKS_E_ARGUMENT if OPTIKS_FORCE_KERNEL names an unknown
 * kernel, or a kernel that this processor does not support. The program must then stop, because every batch call would
 * abort. */
OPTIKS_EXPORT int32_t optiks_kernel(char* out, size_t capacity, size_t* out_len);
/* Copies the last error of this thread: UTF-8, NUL-terminated, at most capacity octets, truncated if it is longer. The
 * text is empty if the last call on this thread succeeded. */
OPTIKS_EXPORT void optiks_last_error(char* out, size_t capacity);
/* Writes the name of a reason of docs/spec/reasons.md, for example "member_root", as contract rule 4 says.
 * OPTIKS_E_ARGUMENT if no reason has the number. For callers that have no list of the names of their own, and for
 * tests; the programs of Optiks have a generated list. */
OPTIKS_EXPORT int32_t optiks_reason_name(int32_t reason, char* out, size_t capacity, size_t* out_len);
/* Computes the form of a username for a log whose username_form is 1 (docs/spec/usernames.md). The form may have at
 * most max_len octets; max_len may be at most 255. out_fault: OPTIKS_NAME_VALID, or the reason why the username has no
 * form. The call writes the form, as contract rule 4 says, only if the username is valid. Any thread may make this
 * call. */
OPTIKS_EXPORT int32_t optiks_username_prepare(const uint8_t* name, size_t len, size_t max_len, int32_t* out_fault,
                                              uint8_t* out, size_t capacity, size_t* out_len);
/* Overwrites len octets at p with zeros. The compiler cannot optimise the writes away. */
OPTIKS_EXPORT void optiks_zeroize(void* p, size_t len);

/* ---- Hashes and keys: stateless, any thread ---- */

/* Computes H(tag, data...) of docs/spec/encoding.md section 1, which is BLAKE2b-256 over tag || data. */
OPTIKS_EXPORT int32_t optiks_hash(uint8_t tag, const uint8_t* data, size_t len, uint8_t out[32]);
/* Makes a VRF secret key with the system's random generator. */
OPTIKS_EXPORT int32_t optiks_vrf_generate(uint8_t out_secret[32], uint8_t out_public[32]);
/* Computes the public key of a VRF secret key. OPTIKS_E_KEY unless 1 <= secret < N. */
OPTIKS_EXPORT int32_t optiks_vrf_public(const uint8_t secret[32], uint8_t out_public[32]);
/* Checks a VRF public key. OPTIKS_E_KEY if the key is not valid (docs/spec/vrf.md section 3). */
OPTIKS_EXPORT int32_t optiks_vrf_validate(const uint8_t public_key[32]);
/* Verifies a VRF proof. out_reason is 0, or the reason why the proof is refused. out_label is valid only if out_reason
 * is 0. */
OPTIKS_EXPORT int32_t optiks_vrf_verify(const uint8_t public_key[32], const uint8_t* alpha, size_t alpha_len,
                                        const uint8_t proof[OPTIKS_VRF_PROOF_LEN], int32_t* out_reason,
                                        uint8_t out_label[32]);

/* Ed25519 (RFC 8032) by libsodium. The seed is the secret key of 32 octets. Verification is strict: the signature's S
 * and all points must be canonical, and keys of small order are refused. out_ok is 1 if the signature is valid,
 * otherwise 0. */
OPTIKS_EXPORT int32_t optiks_ed25519_public(const uint8_t seed[32], uint8_t out_public[32]);
OPTIKS_EXPORT int32_t optiks_ed25519_sign(const uint8_t seed[32], const uint8_t* message, size_t len,
                                          uint8_t out_signature[64]);
OPTIKS_EXPORT int32_t optiks_ed25519_verify(const uint8_t public_key[32], const uint8_t* message, size_t len,
                                            const uint8_t signature[64], int32_t* out_ok);

/* ---- Directory ---- */

/* A directory holds the trees of a log, and the data that the update-task or a replica needs about each key.
 *
 * Thread rules
 *  - Only one thread at a time, the writer, may load, stage, commit or discard.
 *  - Any number of threads may take, use and destroy views at any time, even after the directory was destroyed.
 *  - Readers wait neither for the writer nor for each other.
 *
 * Secrets: the directory copies the VRF keys and the tag keys. It locks the memory of the copies as far as
 * RLIMIT_MEMLOCK allows, and erases that memory when the last handle is destroyed. */
typedef struct optiks_dir optiks_dir_t;
typedef struct optiks_staged optiks_staged_t;
typedef struct optiks_view optiks_view_t;

OPTIKS_EXPORT int32_t optiks_dir_create(const optiks_dir_options_t* options, optiks_dir_t** out);
/* Makes a directory from a snapshot that optiks_view_save wrote, at the snapshot's epoch. leaf_log_path names the leaf
 * log that the snapshot was taken with. The call cuts that log to its length at the snapshot, and the directory then
 * appends to it. OPTIKS_E_DATA: the file is damaged or has another version of the format, or its secrets, period or
 * kept values differ from the options. OPTIKS_E_IO: the snapshot or its leaf log cannot be read. optiks_last_error()
 * says which fault was found. The call verifies only checksums, which an adversary can forge. So the caller must
 * compare the directory's states with the signed record of the epoch.
 *
 * If the options have a node_store_path, the call makes the directory in that folder, in stored mode. The call then
 * makes all checks of optiks_dir_check, on as many threads as the options allow. OPTIKS_E_STATE: the node store already
 * has a directory. The call uses about 170 octets of disk for each leaf, and 160 MB of memory. After an error the node
 * store's folder is unusable. */
OPTIKS_EXPORT int32_t optiks_dir_restore(const optiks_dir_options_t* options, const char* path, optiks_dir_t** out);
/* Reads a directory's whole leaf log and recomputes all hashes of its trees. Use it after restoring a snapshot from
 * another machine. OPTIKS_E_DATA or OPTIKS_E_IO unless trees, records, values and the key table agree with each other
 * and with the states. OPTIKS_E_STATE in stored mode, where optiks_dir_restore makes these checks. Only the writer
 * thread may make this call, which uses as many threads as the options allow. The call takes as long as reading the
 * leaf log in random order. */
OPTIKS_EXPORT int32_t optiks_dir_check(const optiks_dir_t* dir);
OPTIKS_EXPORT void optiks_dir_destroy(optiks_dir_t* dir);

/* Appends stored leaves in (epoch, ordinal) order at start-up, without making proofs. Each call takes all leaves of one
 * or more epochs. The call checks the order of the leaves, that each key's versions increase by one (OPTIKS_E_DATA),
 * and that no leaf occurs twice (OPTIKS_E_DUPLICATE). It does not check the VRF. The first call may start at any epoch
 * > 0. After each call, `epoch` is the directory's epoch. In stored mode the first load into a node store differs: the
 * directory reaches the epoch of the last call only at optiks_dir_load_end, and until then allows only these two calls
 * and optiks_dir_stats.
 * During a load no view may exist, and no thread may take a view. The call is not atomic: after an error destroy the
 * directory. */
OPTIKS_EXPORT int32_t optiks_dir_load(optiks_dir_t* dir, uint64_t epoch, const optiks_leaf_t* leaves, size_t num_leaves,
                                      const uint8_t* values, size_t values_len);

/* Ends the loading. In stored mode, for the first load into a node store, this call puts all leaves into the store
 * together, as optiks_dir_restore does. Only this call then reports contradictions between leaves, with the errors of
 * optiks_dir_load. Until this call each leaf uses up to 140 octets of disk. A process that dies before the end of the
 * load leaves a node store that is empty or unusable (OPTIKS_E_IO). The call also puts copies into the store, which
 * optiks_dir_load_copies describes. */
OPTIKS_EXPORT int32_t optiks_dir_load_end(optiks_dir_t* dir);

/* Reduces the memory of a directory that is seldom read from now on, such as the directory of an ended period. From
 * this call on it caches no VRF proofs and, in stored mode, at most node_cache_bytes of its trees. The memory of the
 * cached proofs stays until all views that were taken before this call are destroyed, and this call is then repeated;
 * out_is_done is 1 if that memory is free. Only the writer thread may make this call. */
OPTIKS_EXPORT int32_t optiks_dir_shrink(optiks_dir_t* dir, uint64_t node_cache_bytes, int32_t* out_is_done);

/* Returns the latest version of each key in the committed state; 0 if the key is absent. Keys of an oZKS have no
 * versions: for them the result is 1 if the key is present. Only the writer thread may make this call. */
OPTIKS_EXPORT int32_t optiks_dir_versions(const optiks_dir_t* dir, size_t n, const uint8_t* structures,
                                          const uint8_t* keys, const uint64_t* key_offsets, uint64_t* out_versions);

/* Writes the latest value of each key in the committed state, one after another. out_ends[i] is the end of key i's
 * value in out. out_kept[i] is 0, and the value empty, if the key has no value or its value was erased. OPTIKS_E_STATE:
 * the directory does not keep this structure's values. Only the writer thread may make this call. */
OPTIKS_EXPORT int32_t optiks_dir_newest_values(const optiks_dir_t* dir, uint8_t structure, size_t n,
                                               const uint8_t* keys, const uint64_t* key_offsets, uint8_t* out,
                                               size_t capacity, size_t* out_len, uint64_t* out_ends, uint8_t* out_kept);

/* Computes the labels of the next leaves of these keys before optiks_dir_prepare needs them, for example while the
 * previous epoch is being committed. The labels are only cached: without this call, optiks_dir_prepare makes the same
 * leaves but takes longer. It ignores a cached label if the key has got another version in the meantime. The labels are
 * kept until the next optiks_dir_prepare. Any thread may make this call, even while the writer works, but only one
 * thread at a time. The call takes as long as computing the labels. */
OPTIKS_EXPORT int32_t optiks_dir_precompute_labels(optiks_dir_t* dir, size_t n, const uint8_t* structures,
                                                   const uint8_t* keys, const uint64_t* key_offsets);

/* Makes the leaves of the next epoch, one for each update. A leaf has the next version of its key, the VRF label, a
 * fresh random opening and the commitment. The leaves are sorted by (structure, label). Their value_offset and
 * value_len point into `values`, and structure_and_input has the index of the update. The directory does not change. A
 * key has 1 to 255 octets. OPTIKS_E_DUPLICATE if a key occurs twice. Only the writer thread may make this call. */
OPTIKS_EXPORT int32_t optiks_dir_prepare(const optiks_dir_t* dir, uint64_t epoch, size_t n, const uint8_t* structures,
                                         const uint8_t* keys, const uint64_t* key_offsets, const uint8_t* values,
                                         const uint64_t* value_offsets, optiks_leaf_t* out_leaves);

/* Builds the trees of the next epoch and leaves the current trees unchanged. `epoch` must be the directory's epoch plus
 * 1; a directory that was never loaded is at epoch 0. No reader sees the epoch until optiks_staged_commit. If
 * with_proofs is not 0, the call also makes the append-only proof of the step. A directory has at most one staged
 * epoch. On return the epoch's records are in the leaf log's file. If they cannot be written, the call returns
 * OPTIKS_E_IO and stages nothing. */
OPTIKS_EXPORT int32_t optiks_dir_stage(optiks_dir_t* dir, uint64_t epoch, const optiks_leaf_t* leaves,
                                       size_t num_leaves, const uint8_t* values, size_t values_len, int32_t with_proofs,
                                       optiks_staged_t** out);
/* Writes the StructureState of each structure (docs/spec/records.md section 2): root, count and VRF public key. */
OPTIKS_EXPORT int32_t optiks_staged_states(const optiks_staged_t* staged, uint8_t out[OPTIKS_STATES_LEN]);
/* Writes the AppendProof (docs/spec/proofs.md section 5) of each structure for the step to the staged epoch, one after
 * another. OPTIKS_E_STATE if the epoch was staged without proofs. */
OPTIKS_EXPORT int32_t optiks_staged_append_proofs(const optiks_staged_t* staged, uint8_t* out, size_t capacity,
                                                  size_t* out_len);
/* Makes the staged epoch the directory's current epoch; views taken afterwards show it. In stored mode the call first
 * writes the leaf log and the node store to disk. If that fails, the call returns OPTIKS_E_IO and the old epoch stays
 * current. On success the call destroys the handle. */
OPTIKS_EXPORT int32_t optiks_staged_commit(optiks_staged_t* staged);
/* Discards a staged epoch that was not committed. Call it before you destroy the directory. */
OPTIKS_EXPORT void optiks_staged_destroy(optiks_staged_t* staged);

/* The next three calls are for a directory whose period has not begun (docs/spec/periods.md section 2). In the options
 * of such a directory, period is greater than 0 and period_first_epoch is 0. The directory gives no views, and prepares
 * and stages no epoch (OPTIKS_E_STATE). While the previous period continues, the directory takes copies: the leaves of
 * the structures `devices` and `keys` with which its period begins. The structures `usernames` and `decommissioned`
 * have the same secrets in all periods; their leaves reach the directory through optiks_dir_load, epoch by epoch.
 * optiks_dir_states returns the states of the leaves so far. Such a directory cannot be saved until its period begins.
 * In stored mode, a process that dies before the period begins leaves a node store that is unusable (OPTIKS_E_IO).
 *
 * The first call makes a row for each key; all keys must be of the structures `devices` and `keys`. A row has the label
 * of version 1, the tag, a fresh opening, the commitment, epoch 0, and the version that is copied. If the given version
 * is 0 and has no value, the call makes a row that removes the key and has only label and tag. The rows are sorted by
 * (structure, label), with value_offset, value_len and input index as from optiks_dir_prepare. The directory does not
 * change. OPTIKS_E_DUPLICATE if a key occurs twice. Any thread may make this call, even while the writer works, but
 * only one thread at a time. The call takes as long as computing the labels. */
OPTIKS_EXPORT int32_t optiks_dir_prepare_copies(const optiks_dir_t* dir, size_t n, const uint8_t* structures,
                                                const uint8_t* keys, const uint64_t* key_offsets,
                                                const uint64_t* versions, const uint8_t* values,
                                                const uint64_t* value_offsets, optiks_leaf_t* out_rows);
/* Takes rows of copies, in any order and in any number of calls. If a key has several rows, the last row is valid. On
 * return the leaf log no longer holds the value of a copy that a row replaces or removes. Removing a key that has no
 * copy changes nothing. OPTIKS_E_DATA or OPTIKS_E_DUPLICATE: a row is invalid or contradicts another row, and the call
 * took no row. After OPTIKS_E_IO destroy the directory. Only the writer thread may make this call.
 *
 * In stored mode, the rows wait on the disk until optiks_dir_load_end puts all copies into the node store together.
 * Only that call erases the values of copies that were replaced or removed, and reports contradictions between rows of
 * several calls; after its error destroy the directory. After it no more copies can be loaded (OPTIKS_E_STATE). Destroy
 * the directory also after OPTIKS_E_MEMORY, because the call may have taken some of its rows. */
OPTIKS_EXPORT int32_t optiks_dir_load_copies(optiks_dir_t* dir, const optiks_leaf_t* rows, size_t num_rows,
                                             const uint8_t* values, size_t values_len);
/* Stages the first epoch of the directory's period, as optiks_dir_stage does for other epochs. The trees of the
 * structures `devices` and `keys` consist of the copies, so all given leaves must be of the structures `usernames` and
 * `decommissioned`. The append proofs of `devices` and `keys` are empty (docs/spec/answers.md section 5). The commit
 * begins the period. After a discard the directory is as before this call, and its period may begin with a later epoch.
 * In stored mode, the call first does the work of optiks_dir_load_end. Only the writer thread may make this call. */
OPTIKS_EXPORT int32_t optiks_dir_start_period(optiks_dir_t* dir, uint64_t epoch, const optiks_leaf_t* leaves,
                                              size_t num_leaves, const uint8_t* values, size_t values_len,
                                              int32_t with_proofs, optiks_staged_t** out);

/* Destroys the values and openings of n leaves of the directory's epoch in the leaf log. The arrays `structures` and
 * `labels` (32 octets each) name the leaves. On return the erasure is on disk, and no answer from any view that begins
 * afterwards has the values. OPTIKS_E_DATA if a leaf is absent; no value was then erased. Erasing a leaf again changes
 * nothing. The call is also allowed while an epoch is staged. The caller makes that epoch's erasures before the commit,
 * so that no crash leaves an epoch without its erasures (docs/spec/erasure.md). `commitments` (32 octets each) may be
 * NULL. Otherwise the call skips a leaf that is absent or has another commitment. This is for rows of copies: rows of
 * one key share a label, and only the last row is a leaf. Only the writer thread may make this call. */
OPTIKS_EXPORT int32_t optiks_dir_erase(optiks_dir_t* dir, size_t n, const uint8_t* structures, const uint8_t* labels,
                                       const uint8_t* commitments);
/* Returns the labels (32 octets each) and epochs of the leaves of n versions of a key, beginning with version `from`. A
 * key of an oZKS has only version 0. OPTIKS_E_DATA if the key lacks one of these versions. Only the writer thread may
 * make this call. */
OPTIKS_EXPORT int32_t optiks_dir_leaves(const optiks_dir_t* dir, uint8_t structure, const uint8_t* key, size_t key_len,
                                        uint64_t from, size_t n, uint8_t* out_labels, uint64_t* out_epochs);

/* Returns the directory's current epoch and the states of its structures, in the form of optiks_staged_states. Any
 * thread may make this call. */
OPTIKS_EXPORT int32_t optiks_dir_states(const optiks_dir_t* dir, uint64_t* out_epoch, uint8_t out[OPTIKS_STATES_LEN]);

typedef struct {
  /* In stored mode tree_bytes is the size of the node cache. Only stored mode sets node_store_bytes, node_cache_hits
   * and node_cache_misses. */
  uint64_t epoch, leaves, tree_bytes, key_table_bytes, leaf_log_bytes, vrf_cache_bytes, vrf_cache_hits,
      vrf_cache_misses, node_store_bytes, node_cache_hits, node_cache_misses;
  uint64_t period, period_first_epoch; /* period_first_epoch is 0 until a period other than 0 begins */
} optiks_dir_stats_t;
OPTIKS_EXPORT int32_t optiks_dir_stats(const optiks_dir_t* dir, optiks_dir_stats_t* out);

/* Returns an immutable view of the current epoch. Any thread may make this call, which takes no lock. */
OPTIKS_EXPORT int32_t optiks_dir_view(optiks_dir_t* dir, optiks_view_t** out);
OPTIKS_EXPORT void optiks_view_destroy(optiks_view_t* view);
OPTIKS_EXPORT int32_t optiks_view_states(const optiks_view_t* view, uint64_t* out_epoch,
                                         uint8_t out[OPTIKS_STATES_LEN]);

/* Writes a snapshot of the view to a file (docs/operations/snapshots.md), from which optiks_dir_restore makes the
 * directory again. OPTIKS_E_STATE if the directory has no leaf_log_path. On return the snapshot and the leaf log are on
 * disk. Until then, and after any failure, the previous file is still at the path. The call takes seconds to minutes.
 * It uses four octets of memory for each leaf; in stored mode 15 MB, and up to 44 octets of disk for each leaf, in the
 * node store's folder. All other calls on the directory are allowed meanwhile. Any thread may make this call, but only
 * one thread at a time for a path. The snapshot holds no secrets. */
OPTIKS_EXPORT int32_t optiks_view_save(const optiks_view_t* view, const char* path);

/* Writes n Lookup structures (docs/spec/pahd.md section 2), one after another; out_ends[i] is the end of the i-th
 * structure. known_versions[i] is the version of key i that the client knows, and known_periods[i] is its period. If
 * known_periods[i] is not the view's period, or known_versions[i] is 0, the client knows no version of the key. The
 * call uses only cached VRF proofs, and so takes only microseconds a key. It returns OPTIKS_E_UNPROVEN as soon as a
 * proof is not cached; optiks_proofs_lookup_many then writes the structures. Any thread may make this call. */
OPTIKS_EXPORT int32_t optiks_view_lookup_cached(const optiks_view_t* view, uint8_t structure, size_t n,
                                                const uint8_t* keys, const uint64_t* key_offsets,
                                                const uint64_t* known_periods, const uint64_t* known_versions,
                                                uint8_t* out, size_t capacity, size_t* out_len, uint64_t* out_ends);

/* Computes the size of the answer that optiks_proofs_users will write, without making VRF proofs. The answer is the
 * parts (an empty list) and the users of a UserLookupAnswer (docs/spec/users.md), all from the view. `queries` is a
 * UserQueryList (docs/spec/rest.md section 4). The questions have no answer in two cases: a client knows a newer state
 * than the view's, or there are several queries and num_entries exceeds max_entries. optiks_proofs_users then writes
 * nothing, and its out_len is 0. The summary then ends at the user who caused this. Any thread may make this call. */
OPTIKS_EXPORT int32_t optiks_view_users_summary(const optiks_view_t* view, const uint8_t* queries, size_t queries_len,
                                                uint64_t max_entries, optiks_users_summary_t* out_summary);

/* Returns the summary of optiks_view_users_summary, and writes the answer, but only with cached VRF proofs. If a proof
 * is not cached, returns OPTIKS_E_UNPROVEN and the summary. */
OPTIKS_EXPORT int32_t optiks_view_users_cached(const optiks_view_t* view, const uint8_t* queries, size_t queries_len,
                                               uint64_t max_entries, uint8_t* out, size_t capacity, size_t* out_len,
                                               optiks_users_summary_t* out_summary);

/* Computes the size of the answer that optiks_proofs_user_monitor will write, without making VRF proofs. `query` is a
 * UserMonitorQuery (docs/spec/rest.md section 4). Any thread may make this call. */
OPTIKS_EXPORT int32_t optiks_view_user_monitor_summary(const optiks_view_t* view, const uint8_t* query,
                                                       size_t query_len, const optiks_user_monitor_page_t* page,
                                                       optiks_user_monitor_summary_t* out_summary);

/* Makes the VRF proofs of several answers in one batch: add the questions, run the batch, then get the answers. If an
 * answer needs a proof that no question added, the call for the answer makes that proof. Only one thread at a time may
 * use the batch. Destroy the batch before its view. The calls are not atomic: after an error of an add or run call,
 * destroy the batch. `structure`: answers about keys are about keys of this structure. max_members has the
 * meaning that it has in optiks_proofs_versions, and max_entries the meaning that it has in optiks_view_users_summary.
 * If use_cache is 0, the batch neither reads nor fills the cache of
 * proofs. The time for an answer then neither depends on earlier requests nor affects later requests. */
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
/* Writes the structures that optiks_view_lookup_cached describes. */
OPTIKS_EXPORT int32_t optiks_proofs_lookup_many(const optiks_proofs_t* proofs, size_t n, const uint8_t* keys,
                                                const uint64_t* key_offsets, const uint64_t* known_periods,
                                                const uint64_t* known_versions, uint8_t* out, size_t capacity,
                                                size_t* out_len, uint64_t* out_ends);
/* Writes one Versions structure, for history and monitoring. `from` must be at least 1. Let a be the key's latest
 * version. If `from` exceeds a + 1, the answer shows what it would show for a + 1, but contains the requested `from`.
 * The answer has at most max_members members and about max_bytes octets, but at least one member. If these bounds leave
 * members out, the answer is a page. */
OPTIKS_EXPORT int32_t optiks_proofs_versions(const optiks_proofs_t* proofs, const uint8_t* key, size_t key_len,
                                             uint64_t from, uint32_t max_members, size_t max_bytes, uint8_t* out,
                                             size_t capacity, size_t* out_len);

OPTIKS_EXPORT int32_t optiks_proofs_users(const optiks_proofs_t* proofs, const uint8_t* queries, size_t queries_len,
                                          uint64_t max_entries, uint8_t* out, size_t capacity, size_t* out_len,
                                          optiks_users_summary_t* out_summary);

/* Writes a UserMonitorAnswer without its head (docs/spec/user-monitor.md), all from the view. If `unanswered` of the
 * summary is not 0, the call writes no answer, and out_len is 0. */
OPTIKS_EXPORT int32_t optiks_proofs_user_monitor(const optiks_proofs_t* proofs, const uint8_t* query, size_t query_len,
                                                 const optiks_user_monitor_page_t* page, uint8_t* out, size_t capacity,
                                                 size_t* out_len, optiks_user_monitor_summary_t* out_summary);

/* Merges the append proofs of consecutive steps into the append proofs of the whole range. Each step has the
 * AppendProof structures that optiks_staged_append_proofs returns; the proofs of all steps are one blob with n+1
 * offsets. If the range begins after epoch e, step i leads from epoch e + i to epoch e + i + 1. `counts` holds the
 * number of leaves of each structure before each step (OPTIKS_NUM_STRUCTURES values a step). 1 <= n <= 256.
 * OPTIKS_E_DATA if consecutive proofs do not fit together. Any thread may make this call. */
OPTIKS_EXPORT int32_t optiks_append_merge(size_t n, const uint8_t* proofs, const uint64_t* proof_offsets,
                                          const uint64_t* counts, uint8_t* out, size_t capacity, size_t* out_len);

/* ---- Verifier: stateless, any thread; every input, even hostile input, has a verdict ---- */

/* Checks the bounds of a configuration, and checks the log key. Sets out_log_id if both are valid. */
OPTIKS_EXPORT int32_t optiks_verify_anchor(const optiks_anchor_t* anchor, int32_t* out_reason, uint8_t out_log_id[32]);

/* Verifies a Head without an answer, as the endpoint epochs/latest returns it. */
OPTIKS_EXPORT int32_t optiks_verify_head(const optiks_context_t* context, const uint8_t* head, size_t head_len,
                                         int32_t* out_reason, optiks_head_result_t* out_head);

/* Verifies a LookupAnswer for n keys of the structure `keys`. out_failed: index of the key that failed, or n if no key
 * did. out_results has n elements. */
OPTIKS_EXPORT int32_t optiks_verify_lookup(const optiks_context_t* context, size_t n, const uint8_t* keys,
                                           const uint64_t* key_offsets, const optiks_known_t* known,
                                           const uint8_t* answer, size_t answer_len, int32_t* out_reason,
                                           size_t* out_failed, optiks_head_result_t* out_head,
                                           optiks_lookup_result_t* out_results);

/* Verifies a HistoryAnswer or MonitorAnswer for n keys. The first version requested for key i is known[i].version + 1.
 * OPTIKS_E_BUFFER if out->entries_capacity is too small. */
OPTIKS_EXPORT int32_t optiks_verify_versions(const optiks_context_t* context, size_t n, const uint8_t* keys,
                                             const uint64_t* key_offsets, const optiks_known_t* known,
                                             const uint8_t* answer, size_t answer_len, optiks_versions_verdict_t* out);

/* Verifies a UserLookupAnswer (docs/spec/users.md, docs/spec/recycled-names.md) for n users. `strings` begins with four
 * strings for each user: the username, the one requested device (empty: all devices), the known user id (empty:
 * unknown), and the DeviceList of the known version (empty: unknown). Then `strings` has, for each user in turn, the
 * ids of the num_keys devices whose key is known, in strictly increasing order. `known` has n elements for the lists,
 * then one element for each of these devices; the call ignores the least epochs in `known`. OPTIKS_E_BUFFER if
 * out->devices_capacity is too small. */
OPTIKS_EXPORT int32_t optiks_verify_users(const optiks_context_t* context, size_t n, const uint8_t* strings,
                                          const uint64_t* string_offsets, const optiks_user_state_t* states,
                                          const optiks_known_t* known, const uint8_t* answer, size_t answer_len,
                                          optiks_users_verdict_t* out);

/* Verifies a UserMonitorAnswer (docs/spec/user-monitor.md) about one user. `strings` has the user id, num_names names,
 * and the kept device list (empty if the client keeps no list). Then it has the state->num_keys device ids that the
 * query names, in strictly increasing order. `known` has one element for the list, then one element for each of these
 * ids; the call ignores the least epochs in `known`. OPTIKS_E_BUFFER if out->keys_capacity or out->entries_capacity is
 * too small. */
OPTIKS_EXPORT int32_t optiks_verify_user_monitor(const optiks_context_t* context, const optiks_user_state_t* state,
                                                 size_t num_names, const uint8_t* strings,
                                                 const uint64_t* string_offsets, const optiks_known_t* known,
                                                 const uint8_t* answer, size_t answer_len,
                                                 optiks_user_monitor_verdict_t* out);

/* Verifies a PeriodsAnswer that begins with `period` (docs/spec/periods.md section 4). `period` is the period of the
 * kept record or an earlier period. out_bounds receives the offsets of the records in the answer, as contract rule 4
 * says; its capacity is in elements. */
OPTIKS_EXPORT int32_t optiks_verify_periods(const optiks_context_t* context, uint64_t period, const uint8_t* answer,
                                            size_t answer_len, int32_t* out_reason, optiks_head_result_t* out_head,
                                            size_t* out_bounds, size_t bounds_capacity, size_t* out_num_bounds);

/* Verifies the hand-over of one key (docs/spec/periods.md section 6). `head` and `answer` are of an accepted answer
 * about the period after the period of `end`. The request must have asked for the versions from version 1 on.
 * first_entry is the entry of version 1, or NULL if the answer lists no versions. */
OPTIKS_EXPORT int32_t optiks_verify_handover(const optiks_head_result_t* head,
                                             const optiks_version_entry_t* first_entry, const uint8_t* answer,
                                             size_t answer_len, const optiks_end_t* end, int32_t* out_reason);

/* Verifies an AuditProof that begins at the auditor's stored record. period_record is the record of the first epoch of
 * the stored record's period, and may be the stored record itself. The caller has checked that the log's checkpoint
 * covers period_record too. out_record receives the record of epoch b, the last epoch of the proof. out_structures: bit
 * s - 1 is set if structure s was verified; all structures are verified, except at a switch of the period. The call
 * ignores the context's kept state. */
OPTIKS_EXPORT int32_t optiks_verify_audit(const optiks_context_t* context, const uint8_t* stored_record,
                                          const uint8_t* period_record, const uint8_t* proof, size_t proof_len,
                                          int32_t* out_reason, uint8_t out_record[OPTIKS_RECORD_LEN],
                                          uint32_t* out_structures);

/* Judges whether two LeafStatements prove that the log signed two states of one tree of which neither can have grown
 * into the other (docs/spec/broken-append.md section 2). out_reason is never 0: if the statements prove this,
 * out_reason is the number of the reason leaf_contradicts. */
OPTIKS_EXPORT int32_t optiks_judge_leaves(const optiks_anchor_t* anchor, const uint8_t* first, size_t first_len,
                                          const uint8_t* second, size_t second_len, int32_t* out_reason);

/* Verifies a record by itself and, unless `kept` is NULL, against a kept record of the log (docs/spec/records.md
 * sections 3 to 5). kept_period_record has the same meaning as in optiks_context_t. */
OPTIKS_EXPORT int32_t optiks_verify_record(const optiks_anchor_t* anchor, const uint8_t record[OPTIKS_RECORD_LEN],
                                           const uint8_t* kept, const uint8_t* kept_period_record, int32_t* out_reason);

/* Verifies a checkpoint that comes without a record (docs/spec/board.md section 2). Sets out_size and out_root if the
 * checkpoint is valid. */
OPTIKS_EXPORT int32_t optiks_verify_checkpoint(const optiks_anchor_t* anchor, const uint8_t* note, size_t note_len,
                                               int32_t* out_reason, uint64_t* out_size, uint8_t out_root[32]);

/* Verify RFC 6962 proofs. `proof` is the sequence of the proof's hashes, of 32 octets each. out_ok is 1 if the proof is
 * valid, otherwise 0. */
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
