/* Parameters and results of the verifier's calls: the state that a client keeps and passes to the verifier, and the
 * contents of an accepted answer. The calls are in optiks.h, which includes this header. */
#ifndef OPTIKS_VERDICTS_H
#define OPTIKS_VERDICTS_H

#include <stddef.h>
#include <stdint.h>

/* A client's input to the verifier (docs/spec/answers.md section 2). Unknown fields are zero or NULL. */
typedef struct optiks_anchor {
  const uint8_t* configuration; /* Configuration, docs/spec/records.md section 1 */
  size_t configuration_len;
  uint8_t log_public_key[32];
  uint8_t reserved[8];
} optiks_anchor_t;

typedef struct optiks_context {
  optiks_anchor_t anchor;
  uint64_t now_ms;
  uint64_t kept_size; /* of the kept checkpoint; 0: no checkpoint is kept */
  uint8_t kept_root[32];
  const uint8_t* kept_record; /* a record, or NULL */
  /* The record of the first epoch of the kept record's period, or NULL: unknown. If this record is unknown, and the
   * kept record is not of the first epoch of its period, the verifier refuses a switch of the period. */
  const uint8_t* kept_period_record;
  /* The record of the last epoch of the requested period if that period has ended, or NULL: the current period was
   * requested. The answer's record must be this record; the verifier then checks neither the record's age nor a kept
   * record (docs/spec/periods.md section 5). Lookups do not accept an ended record. */
  const uint8_t* ended_record;
} optiks_context_t;

/* A client's knowledge of one key in period `period` (docs/spec/pahd.md section 3). After an answer that showed the
 * latest version, n is known (has_absent = 1). After a page that did not end its list, page_version is the `version` of
 * the page, which is above w. For a version > 0 exactly one of n and page_version must be known, otherwise the result
 * is OPTIKS_E_ARGUMENT. A lookup does not accept the state after a page. */
typedef struct optiks_known {
  uint64_t least_epoch;
  uint64_t period;
  uint64_t version;      /* w */
  uint64_t time;         /* T(w) */
  uint64_t absent_epoch; /* n */
  uint64_t page_version; /* b; 0: the last answer was not a page */
  uint32_t has_absent;
  uint32_t reserved;
} optiks_known_t;

/* An owner's knowledge of a key at the last epoch of a period (docs/spec/periods.md section 6). */
typedef struct optiks_end {
  uint64_t period, last_epoch;
  uint64_t version;         /* 0: the key had no version */
  uint8_t value_sha256[32]; /* SHA-256 of that version's value */
} optiks_end_t;

/* Result of an accepted head. */
typedef struct optiks_head_result {
  uint64_t epoch, period, period_first_epoch, time_ms;
  uint64_t size; /* size of the checkpoint that was used */
  uint8_t root[32];
  size_t record_offset;     /* into the answer */
  size_t checkpoint_offset; /* into the answer */
  size_t checkpoint_len;    /* 0: the kept checkpoint was used */
} optiks_head_result_t;

/* Result of one accepted key. */
typedef struct optiks_lookup_result {
  uint64_t version;    /* a; 0: proven absent */
  uint64_t time;       /* T(a) to remember (the known T if the version is unchanged) */
  uint64_t leaf_epoch; /* t_a; 0 for a copy, or if no member was sent */
  size_t value_offset; /* into the answer */
  size_t value_len;
  int32_t has_value;        /* 0: absent, or unchanged since the known version */
  int32_t begins_with_copy; /* version 1 was sent, as a copy from the previous period */
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
  int32_t complete; /* 0: a page; continue from the last entry, with `version` as page_version */
  int32_t reserved;
} optiks_versions_result_t;

/* Result of one accepted user. */
typedef struct optiks_user_result {
  uint64_t epoch;                 /* e*: the epoch of the answer, and of everything that the client keeps of it */
  uint64_t largest_epoch;         /* the largest epoch up to which auditors have to cover the log */
  uint64_t devices_epoch;         /* n of the device list from now on */
  size_t user_offset;             /* offset of the user id in the answer */
  size_t user_len;                /* 0: there is no such user, or the user id is the known one */
  optiks_lookup_result_t devices; /* the list; without a value the known list is still valid */
  size_t num_devices;
  int32_t kind; /* 0: no such user, 1: has left, 2: current; only a current user has devices */
  /* Generation of the username; 0: no such user, or names are not used again. The users of the earlier generations are
   * in the answer, and have left. */
  uint32_t generation;
} optiks_user_result_t;

typedef struct optiks_device_result {
  size_t id_offset; /* into the device list, which is in the answer or is the known one */
  size_t id_len;
  uint64_t record_epoch; /* n of the key from now on */
  optiks_lookup_result_t key;
} optiks_device_result_t;

/* Result of one accepted followed id. */
typedef struct optiks_own_key_result {
  size_t id_offset; /* into the answer, or into the strings of the call */
  size_t id_len;
  optiks_versions_result_t versions;
  int32_t id_is_brought; /* 1: id_offset is into the strings of the call */
  int32_t reserved;
} optiks_own_key_result_t;

#endif
