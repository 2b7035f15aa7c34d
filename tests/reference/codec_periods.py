"""Decodes the structure of docs/spec/periods.md section 4, strictly (docs/spec/encoding.md section 3)."""

from dataclasses import dataclass

from codec import Head, Reader, encoded_all, vector
from codec_users import PartRecord


@dataclass(frozen=True)
class PeriodsAnswer:
    head: Head
    bounds: list[PartRecord]

    @classmethod
    def decode(cls, r: Reader) -> "PeriodsAnswer":
        return cls(Head.decode(r), r.elements(0, 2**24 - 1, PartRecord.decode))

    def encode(self) -> bytes:
        return self.head.encode() + vector(2**24 - 1, encoded_all(self.bounds))
