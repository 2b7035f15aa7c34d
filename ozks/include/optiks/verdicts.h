/* Parameters and results of the verifier's calls: the state that a client keeps and passes to the verifier, and the
 * contents of an accepted answer. The calls are in optiks.h, which includes this header. */
#ifndef OPTIKS_VERDICTS_H
#define OPTIKS_VERDICTS_H

#include <stddef.h>
#include <stdint.h>

/* A client's trust anchor, which is an input to the verifier (docs/spec/answers.md section 2). Fields that the client
 * does not know are zero or NULL. */
typedef struct optiks_anchor {
  const uint8_t* configuration; /* the log's Configuration (docs/spec/records.md section 1) */
  size_t configuration_len;
  uint8_t log_public_key[32];
  uint8_t reserved[8];
} optiks_anchor_t;

typedef struct optiks_context {
  optiks_anchor_t anchor;
  uint64_t now_ms;
  uint64_t kept_size; /* size of the kept checkpoint; 0 means that the client keeps no checkpoint */
  uint8_t kept_root[32];
  const uint8_t* kept_record; /* the kept record, or NULL */
  /* The record of the first epoch of the kept record's period, or NULL if the client does not know it. If this field is
   * NULL, and the kept record is not of the first epoch of its period, the verifier refuses a switch of the period. */
  const uint8_t* kept_period_record;
  /* NULL if the client asked about the current period. If the requested period has ended: the record of its last epoch.
   * The answer's record must then be this record, and the verifier checks neither the record's age nor a kept record
   * (docs/spec/periods.md section 5). In calls about lookups this field must be NULL. */
  const uint8_t* ended_record;
} optiks_context_t;

/* A client's knowledge of one key in period `period` (docs/spec/pahd.md section 3). After an answer that showed the
 * latest version, has_absent is 1 and absent_epoch is known. After a page that did not end its list, page_version is
 * the `version` of the page, which is greater than w. If `version` is not 0, exactly one of absent_epoch and
 * page_version must be known; otherwise the call returns OPTIKS_E_ARGUMENT. Lookups do not accept a state with a
 * page_version. */
typedef struct optiks_known {
  uint64_t least_epoch;
  uint64_t period;
  uint64_t version;      /* w */
  uint64_t time;         /* T(w) */
  uint64_t absent_epoch; /* n */
  uint64_t page_version; /* b; 0 means that the last answer was not a page */
  uint32_t has_absent;
  uint32_t reserved;
} optiks_known_t;

/* An owner's knowledge of a key at the last epoch of a period (docs/spec/periods.md section 6). */
typedef struct optiks_end {
  uint64_t period, last_epoch;
  uint64_t version;         /* 0 means that the key had no version */
  uint8_t value_sha256[32]; /* SHA-256 of the value of `version` */
} optiks_end_t;

/* The verified contents of an accepted head. */
typedef struct optiks_head_result {
  uint64_t epoch, period, period_first_epoch, time_ms;
  uint64_t size; /* size of the checkpoint that the verifier used */
  uint8_t root[32];
  size_t record_offset;     /* into the answer */
  size_t checkpoint_offset; /* into the answer */
  size_t checkpoint_len;    /* 0 means that the verifier used the kept checkpoint */
} optiks_head_result_t;

/* The verified contents of an accepted answer about one key. */
typedef struct optiks_lookup_result {
  uint64_t version;    /* a; 0 means that the key is proven absent */
  uint64_t time;       /* T(a), which the client keeps (the known T if the version is unchanged) */
  uint64_t leaf_epoch; /* t_a; 0 for a copy, or if the answer has no member */
  size_t value_offset; /* into the answer */
  size_t value_len;
  int32_t has_value;        /* 0 means that the key is absent, or unchanged since the known version */
  int32_t begins_with_copy; /* 1 if the answer shows version 1 as a copy from the previous period */
} optiks_lookup_result_t;

typedef struct optiks_version_entry {
  uint64_t version, leaf_epoch, time;
  size_t value_offset, value_len; /* into the answer */
  int32_t has_value;              /* 0: erased */
  int32_t reserved;
} optiks_version_entry_t;

typedef struct optiks_versions_result {
  uint64_t version; /* a */
  uint64_t from;
  size_t num_entries;
  int32_t complete; /* 0 means a page; ask again from the last entry, with `version` as page_version */
  int32_t reserved;
} optiks_versions_result_t;

/* The verdict of optiks_verify_versions. The caller sets the pointers and the capacity. The call sets the other fields,
 * and fills the arrays if the reason is 0. */
typedef struct optiks_versions_verdict {
  optiks_head_result_t head;         /* set if the reason is 0 */
  optiks_versions_result_t* results; /* n elements */
  optiks_version_entry_t* entries;   /* the entries of all keys, one after another */
  size_t entries_capacity;           /* in elements */
  size_t num_entries;                /* with OPTIKS_E_BUFFER, the capacity that the call needs */
  size_t failed;                     /* index of the key that failed, or n if no key did */
  int32_t reason;
  int32_t reserved;
} optiks_versions_verdict_t;

/* The verified contents of an accepted answer about one user. */
typedef struct optiks_user_result {
  uint64_t epoch;                 /* e*: epoch of the answer, and of all state that the client keeps of it */
  uint64_t largest_epoch;         /* auditors must cover the log up to this epoch */
  uint64_t devices_epoch;         /* the absent_epoch n that the client keeps for the device list */
  size_t user_offset;             /* offset of the user id in the answer */
  size_t user_len;                /* 0 if the user does not exist, or has the known user id */
  optiks_lookup_result_t devices; /* the device list; without a value the known list is still valid */
  size_t num_devices;
  int32_t kind; /* 0: no such user, 1: the user has left, 2: current; only a current user has devices */
  /* Generation of the username; 0 if the user does not exist, or the log does not reassign usernames. The answer
   * contains the users of the earlier generations, who have left. */
  uint32_t generation;
} optiks_user_result_t;

typedef struct optiks_device_result {
  size_t id_offset; /* offset in the device list, either the list in the answer or the known list */
  size_t id_len;
  uint64_t record_epoch; /* the absent_epoch n that the client keeps for the key */
  optiks_lookup_result_t key;
} optiks_device_result_t;

/* The verified contents of an accepted answer about one followed device id. */
typedef struct optiks_own_key_result {
  size_t id_offset; /* offset in the answer, or in the strings of the call */
  size_t id_len;
  optiks_versions_result_t versions;
  int32_t id_is_brought; /* 1 means that id_offset is in the strings of the call */
  int32_t reserved;
} optiks_own_key_result_t;

/* The verdict of optiks_verify_users. The rules of optiks_versions_verdict_t apply. */
typedef struct optiks_users_verdict {
  optiks_head_result_t head;
  size_t record_offset;            /* offset in the answer of the record of the largest epoch, which the client keeps */
  optiks_user_result_t* users;     /* n elements */
  optiks_device_result_t* devices; /* the devices of all users, one after another */
  size_t devices_capacity;         /* in elements */
  size_t num_devices;
  size_t failed; /* index of the user that failed, or n if no user did */
  int32_t reason;
  int32_t reserved;
} optiks_users_verdict_t;

/* The verdict of optiks_verify_user_monitor. The rules of optiks_versions_verdict_t apply. */
typedef struct optiks_user_monitor_verdict {
  optiks_head_result_t head;
  optiks_versions_result_t list;
  optiks_own_key_result_t* keys; /* the followed ids */
  size_t keys_capacity;          /* in elements */
  size_t num_keys;
  optiks_version_entry_t* entries; /* the entries of the list, then those of each followed id in the order of `keys` */
  size_t entries_capacity;         /* in elements */
  size_t num_entries;
  int32_t reason;
  int32_t has_left; /* 1 if the user has left; the call then sets only the head */
} optiks_user_monitor_verdict_t;

#endif
