# Generated from docs/spec/facts.toml by `make facts`: do not edit.
"""The facts of docs/spec that are numbers or lists."""

STRUCTURES = USERNAMES, DEVICES, KEYS, DECOMMISSIONED = 1, 2, 3, 4
PER_PERIOD = (DEVICES, KEYS)

TAG_LEAF = 0x01
TAG_INTERIOR = 0x02
TAG_EMPTY = 0x03
TAG_COMMITMENT = 0x04
TAG_NOTE = 0x05
TAG_RECORD = 0x06
TAG_LOG_ID = 0x07
TAG_PROMISE = 0x08

VRF_SECRET_KEY_LEN = 32
VRF_PUBLIC_KEY_LEN = 32
VRF_PROOF_LEN = 79
VRF_LABEL_LEN = 32
HASH_LEN = 32
OPENING_LEN = 16
SIGNATURE_LEN = 64
STRUCTURE_STATE_LEN = 72
RECORD_LEN = 386
ADDED_LEAF_LEN = 65

MAX_SIBLINGS_LEN = 8192
MAX_LOG_PROOF_LEN = 2016
MAX_KEY_LEN = 255
DEFAULT_MAX_VALUE_LEN = 65_536
MAX_VALUE_LEN = 1_048_576
MAX_RANGE_EPOCHS = 256
MAX_GENERATIONS = 64
MAX_PERIOD_BOUNDS = 128
MAX_QUERIES = 256
MAX_LIST = 1000
MAX_ITEMS = 256
MAX_KNOWN_KEYS = 1024
MAX_OWN_NAMES = 64
MAX_USER_ENTRIES = 2048
MAX_UPDATE_BODY = 8_388_608
MAX_ERASURES = 1024
MAX_PENDING = 16
MAX_RECEIPT_KEYS = 32
MAX_PROMISED_EPOCHS = 1_048_576
MAX_EVIDENCE_ANSWERS = 1000
MAX_TOKEN = 8192
MAX_TOKEN_KEYS = 256

REASONS = {
    "valid": 0,
    "malformed_truncated": 1,
    "malformed_length": 2,
    "malformed_enum": 3,
    "malformed_trailing": 4,
    "vrf_key_invalid": 20,
    "vrf_gamma_malformed": 21,
    "vrf_scalar_range": 22,
    "vrf_gamma_small_order": 23,
    "vrf_challenge": 24,
    "path_length": 30,
    "member_root": 31,
    "member_kind": 32,
    "value_too_long": 33,
    "absent_empty": 40,
    "absent_padding": 41,
    "absent_covers": 42,
    "absent_depth": 43,
    "absent_root": 44,
    "version_range": 50,
    "version_regressed": 51,
    "ladder_count": 52,
    "leaf_epoch_future": 53,
    "leaf_epoch_period": 54,
    "leaf_epoch_order": 55,
    "history_from": 56,
    "answer_count": 57,
    "record_format": 60,
    "record_log_id": 61,
    "record_period": 62,
    "record_count": 63,
    "record_previous": 64,
    "record_time": 65,
    "record_vrf_key": 66,
    "record_epoch": 67,
    "record_from_future": 68,
    "record_too_old": 69,
    "checkpoint_missing": 80,
    "checkpoint_malformed": 81,
    "checkpoint_origin": 82,
    "checkpoint_signature": 83,
    "checkpoint_consistency": 84,
    "inclusion_index": 85,
    "inclusion_proof": 86,
    "stale": 87,
    "fork": 88,
    "witness_quorum": 89,
    "audit_start": 100,
    "audit_crosses_switch": 101,
    "append_leaf_order": 102,
    "append_leaf_epoch": 103,
    "append_leaf_count": 104,
    "append_token": 105,
    "append_prefix": 106,
    "append_position": 107,
    "append_exists": 108,
    "append_truncated": 109,
    "append_trailing": 110,
    "append_old_root": 111,
    "append_new_root": 112,
    "configuration": 120,
    "part_order": 130,
    "part_period": 131,
    "part_unknown": 132,
    "part_unused": 133,
    "part_epoch": 134,
    "user_kind": 140,
    "user_name_missing": 141,
    "user_changed": 142,
    "user_returned": 143,
    "user_id_length": 144,
    "decommission_value": 145,
    "devices_missing": 146,
    "device_list": 147,
    "device_count": 148,
    "generation_left": 149,
    "generation_order": 150,
    "period_bounds": 160,
    "handover_period": 161,
    "handover_unset": 162,
    "handover_missing": 163,
    "handover_value": 164,
    "receipt_voucher": 170,
    "receipt_malformed": 171,
    "receipt_log": 172,
    "receipt_key": 173,
    "receipt_signature": 174,
    "receipt_request": 175,
    "receipt_time": 176,
    "promise_kept": 180,
    "promise_uncovered": 181,
    "promise_erased": 182,
    "promise_broken": 183,
    "leaf_unrelated": 190,
    "leaf_agrees": 191,
    "leaf_contradicts": 192,
}

USERNAME_FAULTS = {
    "valid": 0,
    "length": 1,
    "utf8": 2,
    "character": 3,
    "context": 4,
    "direction": 5,
    "unstable": 6,
}

ABI_VERSION = 14
ABI_OK = 0
ABI_E_ARGUMENT = -1
ABI_E_BUFFER = -2
ABI_E_MEMORY = -3
ABI_E_IO = -4
ABI_E_STATE = -5
ABI_E_DUPLICATE = -6
ABI_E_KEY = -7
ABI_E_DATA = -8
ABI_E_UNPROVEN = -9
ABI_E_ERASED = -10
