#!/usr/bin/python3
"""Runs the benchmark programs of trees and writes all their results to one file, in the JSON format of Google Benchmark. Each benchmark
reports the memory of its process, so each of them runs in its own process. usage: measure_trees.py OUT PROGRAM..."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def joined(documents: list[dict]) -> dict:
    """Joins the rows of all documents into one document, which has the context of the first document. Raises ValueError if two rows have
    the same name or if a document has no row."""
    rows = [row for document in documents for row in document["benchmarks"]]
    names = [row["name"] for row in rows]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not all(document["benchmarks"] for document in documents):
        raise ValueError(f"rows with one name: {', '.join(twice)}" if twice else "a program measured nothing")
    return {"context": documents[0]["context"], "benchmarks": rows}


def main() -> int:
    out, *programs = sys.argv[1:]
    documents = []
    with tempfile.TemporaryDirectory() as folder:
        for number, program in enumerate(programs):
            file = Path(folder, str(number))
            subprocess.run([program, f"--benchmark_out={file}", "--benchmark_out_format=json"], check=True)
            documents.append(json.loads(file.read_text(encoding="utf-8")))
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    Path(out).write_text(json.dumps(joined(documents), indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
