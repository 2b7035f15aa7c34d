/* The types of the C ABI that the server's code in the library uses: codes, structures, lengths, a directory's options,
 * a stored leaf, and the parameters and summaries of calls about users. The calls are in optiks.h, which includes this
 * header. The verifier's parameters and results are in verdicts.h. */
#ifndef OPTIKS_TYPES_H
#define OPTIKS_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* facts: abi, generated from docs/spec/facts.toml by `make facts` */
enum { OPTIKS_ABI_VERSION = 14 };

enum {
  /* success */
  OPTIKS_OK = 0,
  /* a precondition of the call is violated: a bug in the caller */
  OPTIKS_E_ARGUMENT = -1,
  /* the capacity is too small; out_len says what is needed */
  OPTIKS_E_BUFFER = -2,
  /* out of memory; every handle is as it was */
  OPTIKS_E_MEMORY = -3,
  /* a file could not be written or read: optiks_last_error() has errno's text */
  OPTIKS_E_IO = -4,
  /* the call does not fit the handle's state, such as an epoch that does not follow */
  OPTIKS_E_STATE = -5,
  /* a label, or a key twice in one epoch, exists already */
  OPTIKS_E_DUPLICATE = -6,
  /* an invalid secret or public key */
  OPTIKS_E_KEY = -7,
  /* stored data (leaf rows, proofs to merge) contradicts itself */
  OPTIKS_E_DATA = -8,
  /* a VRF proof is not cached, and this call makes none */
  OPTIKS_E_UNPROVEN = -9,
  /* the latest value of a key was erased, so the key has no lookup */
  OPTIKS_E_ERASED = -10,
};
/* facts: end */

/* facts: constants, generated from docs/spec/facts.toml by `make facts` */
enum {
  OPTIKS_USERNAMES = 1,
  OPTIKS_DEVICES = 2,
  OPTIKS_KEYS = 3,
  OPTIKS_DECOMMISSIONED = 4,
  OPTIKS_NUM_STRUCTURES = 4,
  OPTIKS_STATES_LEN = 288,
  OPTIKS_VRF_SECRET_KEY_LEN = 32,
  OPTIKS_VRF_PUBLIC_KEY_LEN = 32,
  OPTIKS_VRF_PROOF_LEN = 79,
  OPTIKS_VRF_LABEL_LEN = 32,
  OPTIKS_HASH_LEN = 32,
  OPTIKS_OPENING_LEN = 16,
  OPTIKS_SIGNATURE_LEN = 64,
  OPTIKS_STRUCTURE_STATE_LEN = 72,
  OPTIKS_RECORD_LEN = 386,
  OPTIKS_ADDED_LEAF_LEN = 65
};
/* facts: end */

/* The reasons why a username has no form (docs/spec/usernames.md section 3). */
/* facts: username faults, generated from docs/spec/facts.toml by `make facts` */
enum {
  /* the username has a form */
  OPTIKS_NAME_VALID = 0,
  /* the username is empty, or the username or its form is longer than a key may be */
  OPTIKS_NAME_LENGTH = 1,
  /* the username is not UTF-8 */
  OPTIKS_NAME_UTF8 = 2,
  /* a character is not in the IdentifierClass, or is not assigned in Unicode 15.0.0 */
  OPTIKS_NAME_CHARACTER = 3,
  /* a character is at a place where its contextual rule does not allow it */
  OPTIKS_NAME_CONTEXT = 4,
  /* the username has characters of both directions, or digits of both kinds */
  OPTIKS_NAME_DIRECTION = 5,
  /* the rules map the username's form to another form */
  OPTIKS_NAME_UNSTABLE = 6,
};
/* facts: end */

enum { OPTIKS_TAG_LEN = 16 };

/* The structures whose values a directory keeps. A directory for lookups needs all values, the update-task needs the
 * values of `devices` (the device lists), and tools need no values. */
enum { OPTIKS_VALUES_ALL = 0, OPTIKS_VALUES_NONE = 1, OPTIKS_VALUES_DEVICES = 2 };

typedef struct optiks_dir_options {
  uint8_t vrf_secret[OPTIKS_NUM_STRUCTURES][OPTIKS_VRF_SECRET_KEY_LEN]; /* keys in the order of the structures */
  /* The tag key of each structure. Tags identify the directory's keys in stored leaves. All four tag keys are the same
   * in logs from before each structure had its own tag key. */
  uint8_t tag_key[OPTIKS_NUM_STRUCTURES][32];
  /* Path of the leaf log, a file that this directory creates. An existing file is truncated. The leaf log holds all
   * data of each leaf except its label. If the path is NULL, the directory uses a file without a name, in $TMPDIR or
   * /var/tmp. */
  const char* leaf_log_path;
  uint64_t vrf_cache_bytes; /* maximum size of the cache of VRF proofs; 0 means no cache */
  uint64_t period;          /* number of the period of the structures `devices` and `keys` */
  /* First epoch of that period. If `period` is greater than 0, the value 0 means that the period has not begun
   * (optiks_dir_load_copies). */
  uint64_t period_first_epoch;
  uint32_t max_value_len; /* max_value_len of the configuration; calls refuse longer values */
  uint32_t kept_values;   /* OPTIKS_VALUES_... */
  /* Number of threads, including the caller's, that the load, precompute_labels, prepare and stage calls may use. At
   * most 256; 0 means one thread. Results do not depend on this number. Between calls the other threads wait; they end
   * when the directory is destroyed. */
  uint32_t threads;
  /* username_reuse of the configuration. If it is 1, usernames have versions; a username's version is its generation.
   * */
  uint32_t username_reuse;
  /* NULL selects linked mode, which keeps everything but the leaf log in memory. A path selects stored mode: the
   * directory creates a folder at this path for the trees and the keys, and no other directory may use the folder.
   * Stored mode needs a leaf_log_path, and liblmdb. If the folder already has a directory, the new handle continues
   * from its last commit, and optiks_dir_states returns the epoch of that commit. OPTIKS_E_IO if the contents of the
   * folder cannot be used because they are damaged, or belong to another period or other secrets. Both the folder and
   * the leaf log can be made again from stored leaves. */
  const char* node_store_path;
  uint64_t node_cache_bytes; /* in stored mode: maximum size of the cache of tree pages */
} optiks_dir_options_t;

/* One stored leaf. The load and stage calls take the rows of an epoch in ordinal order, that is, sorted by (structure,
 * label). */
typedef struct optiks_leaf {
  uint8_t label[32];
  uint8_t commitment[32];
  uint8_t tag[OPTIKS_TAG_LEN];         /* hash of (structure, key) under the tag key */
  uint8_t opening[OPTIKS_OPENING_LEN]; /* zero if the value was erased */
  uint64_t epoch;                      /* the epoch that inserted the leaf */
  uint64_t version;                    /* 1, 2, ...; 0 in an oZKS. `usernames` is an oZKS unless username_reuse is 1. */
  /* Offset of the value in the call's blob of values. UINT64_MAX if the value was erased, or if the caller left it out
   * because the directory does not keep such values. */
  uint64_t value_offset;
  uint32_t value_len;
  /* Bits 28..31 hold the structure. Bits 0..27 hold the index of the input update in leaves from a prepare call,
   * otherwise 0. */
  uint32_t structure_and_input;
} optiks_leaf_t; /* 128 octets */

/* The size of an answer about users, known before the answer is made. */
typedef struct optiks_users_summary {
  uint64_t num_entries; /* number of usernames, decommissions, device lists and keys in the answer */
  uint64_t num_proofs;  /* number of VRF proofs that the answer needs */
  size_t ahead_user;    /* index of the first user of whom the client knows a newer state than the view; the number of
                           users if there is no such user */
  uint32_t ahead_of;    /* the part of that user's state that is newer than the view: 1 for the user id, 2 for the
                           device list, 3 for the key of a device; 0 if no part is newer */
  uint32_t reserved;
} optiks_users_summary_t;

/* The size of an answer to an owner about its own user, known before the answer is made. */
typedef struct optiks_user_monitor_summary {
  uint64_t num_entries; /* number of names, decommissions, lists and keys in the answer, plus one for each 64 versions
                           of the list that were read to make it */
  uint64_t num_proofs;  /* number of VRF proofs that the answer needs */
  size_t index;         /* index of the name or of the named id that is the cause of `unanswered` */
  /* Why there is no answer. 0: there is an answer. 1: the user does not exist. 2: a name leads to no user or, with
   * own_only, to another user. 3: the client knows a later version of the list than the view. 4: the client knows a
   * later version of a named key than the view. 5, only with own_only: a named id is in no kept version of the list, of
   * which the latest 4 MiB are searched. */
  uint32_t unanswered;
  uint32_t reserved;
} optiks_user_monitor_summary_t;

/* Bounds of an answer to an owner about its own user. An answer has at least one version of the list and of each
 * followed key that has versions, even if this exceeds the bounds. */
typedef struct optiks_user_monitor_page {
  uint64_t max_members;     /* maximum number of versions of the list, and of versions of each key; at least 1 */
  uint64_t max_all_members; /* maximum number of versions of all keys together */
  uint64_t max_followed;    /* maximum number of followed ids; a page of the list ends before more ids are followed */
  uint64_t max_bytes;       /* approximate size of the answer in octets */
  uint32_t own_only;        /* 1: the caller may learn nothing about other users, not even which names lead to a user */
  uint32_t reserved;        /* 0 */
} optiks_user_monitor_page_t;

/* A client's kept state of the user that it asks about (docs/spec/users.md section 2), without the state's octet
 * strings. */
typedef struct optiks_user_state {
  uint64_t least_epoch; /* the largest of the epochs that the client keeps with this state */
  size_t num_keys;      /* number of devices whose key the client knows */
  uint32_t has_left;    /* 1: the client knows that the user has left */
  /* The generation of the username at which it led to the known user (docs/spec/recycled-names.md). 0: the log does not
   * reassign usernames, the client knows no user, or the question is about the client's own user. */
  uint32_t generation;
} optiks_user_state_t;

#endif
