"""Checks owner's notes: docs/spec/user-monitor.md section 8."""

import facts
from codec import decode_whole
from codec_users import NotedValue, OwnerNote
from refused import Refused
from tree import H


def note_commitment(opening: bytes, note: bytes) -> bytes:
    assert len(opening) == facts.OPENING_LEN
    return H(facts.TAG_NOTE, opening, note)


def noted_value(payload: bytes, opening: bytes, note: bytes) -> bytes:
    return NotedValue(payload, note_commitment(opening, note)).encode()


def is_note(value: bytes, opening: bytes, note: bytes) -> bool:
    """Returns whether the value is a NotedValue and commits to this note."""
    try:
        return decode_whole(NotedValue.decode, value).note == note_commitment(opening, note)
    except Refused:
        return False


def read_note(value: bytes, opening: bytes, note: bytes) -> OwnerNote | None:
    """Returns the note, or None if the value does not commit to the note or the note is not an OwnerNote."""
    try:
        return decode_whole(OwnerNote.decode, note) if is_note(value, opening, note) else None
    except Refused:
        return None
