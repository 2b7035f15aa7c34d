"""Writes the seed corpora of the fuzz targets from tests/vectors: make_seeds.py <folder>. Each distinct input is one file."""

import base64
import hashlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
import record_octets  # noqa: E402

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "tests" / "vectors"

# Effects and replies as client/core/tests/effects_test.cc has them; the first octet is the number of keys of a load.
EFFECTS = (
    "0000000001010100022f61016200000000000000000005" "00000006", "00" "0000000202000007000101" "00020703",
    "00" "00000003030000000000000029" "00000008" "000101" "0000000109" "000003" "000102", "00" "00000004040000000000000005",
    "00" "000000050500000006", "00" "00000006060000000107", "00" "00" "01f7" "0161" "000003e8",
    "02" "0000000000000007" "00000007" "00" "0100000001" "08", "00" "01")

# Answers of servers, as the tests of their readers in client/core/tests have them.
ANSWERS = (
    '{"request_id":"0193a2f0-7c1e-7abc-8def-0123456789ab","status":"pending","receipt":"a\\nb","receipt_keys":"c"}',
    '{"status":"published","epoch":4,"items":[{"item":1,"structure":"keys","key_b64":"cGhvbmU","version":2,"period":0},'
    '{"structure":"usernames","version":0,"period":5}],"proof":{"method":"POST","href":"/v1/users/lookup?min_epoch=4"}}',
    '{"status":"refused","reason":"device-taken","item":2,"current":{"period":0,"version":1}}',
    '{"status":"erased","epoch":7,"erased":[{"structure":"keys","period":3,"version":1,"epoch":6}]}',
    '{"status":"erased","epoch":7,"erased":[{"structure":"devices","period":2,"version":9,"epoch":5}]}',
    '{"type":"urn:optiks:problem:forbidden","title":"t","detail":"\\u202e","field":"$[3].key","trace_id":"00-1-2-00"}')


def vectors(path: str) -> list:
    return json.loads((VECTORS / path).read_text(encoding="utf-8"))["vectors"]


def seeds():
    """Yields (target, octets)."""
    for effect in EFFECTS:
        yield "fuzz_effects", bytes.fromhex(effect)
    yield "fuzz_effects", b"\0" + b"300\n" + 3 * (b"A" * 43 + b"=\n")
    for _, octets in record_octets.CASES:
        yield "fuzz_records", octets
    for row in vectors("anchor/trust_anchors.json"):
        for target in ("fuzz_trust_anchor", "fuzz_json"):
            yield target, row["text"].encode("utf-8", "surrogatepass")
    for row in vectors("cosigners/judged.json"):
        for target in ("fuzz_answers", "fuzz_json"):
            yield target, row["answer"].encode("utf-8", "surrogatepass")
    for answer in ANSWERS:
        yield "fuzz_answers", answer.encode()
    yield "fuzz_json", b'{"a": [0, 18446744073709551615, "x\\u00e9\\ud83d\\ude00\\n", true, null, -1.5e3, {"a": {}}]}'
    for row in vectors("tlog/notes.json"):
        yield "fuzz_trust_anchor", base64.b64decode(row["note_base64"])
    yield "fuzz_trust_anchor", b"quorum none\n"


def main() -> None:
    root = pathlib.Path(sys.argv[1])
    for target, octets in seeds():
        folder = root / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(octets).hexdigest()[:16]).write_bytes(octets)


main()
