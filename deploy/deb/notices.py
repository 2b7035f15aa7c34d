"""Writes the file `copyright` of a package: Optiks' own licence, and the licences of everything else in the package."""

import json
import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

PACKAGES = Path(os.environ.get("NUGET_PACKAGES") or Path.home() / ".nuget/packages")
# The files with the texts of licences, for NuGet packages that name their licence only by its SPDX identifier.
LICENCE_FILES = ("LICENSE.TXT", "LICENSE.txt", "LICENSE", "LICENSE.md", "license.txt")
NOTICE_FILES = ("THIRD-PARTY-NOTICES.TXT", "ThirdPartyNotices.txt", "THIRD-PARTY-NOTICES.txt")


def copyright_of(repository: Path, root: Path, artifacts: Path, programs: tuple[str, ...]) -> str:
    """Returns the text of `copyright` for a package with these published programs."""
    parts = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: optiks\nComment: What is in this package beside Optiks is at the end of this file, by its origin.",
        f"Files: *\nCopyright: 2026 Optiks contributors\nLicense: Expat\n{indented((repository / 'LICENSE').read_text().split(chr(10), 2)[2])}",
    ]
    if programs:
        found = sorted({library for program in programs for library in libraries(artifacts / "publish" / program / "release_linux-x64")})
        texts = [(repository / "client/sdk/THIRD-PARTY-NOTICES.txt").read_text().replace("in this package, ", "")]
        texts += [notice(name, version) for name, version in found]
        parts.append("Files: usr/lib/optiks/*\nCopyright: see below\nLicense: others\n" + indented("\n\n----\n\n".join(text.strip() for text in texts)))
    return "\n\n".join(parts) + "\n"


def libraries(published: Path) -> list[tuple[str, str]]:
    """Returns the NuGet packages whose files are in a published program, including the packages of the .NET runtime."""
    (description,) = published.glob("*.deps.json")
    described = json.loads(description.read_text())
    (target,) = [target for name, target in described["targets"].items() if "/" in name]
    found = []
    for library, content in target.items():
        name, version = library.split("/")
        kind = described["libraries"][library]["type"]
        if kind == "runtimepack":
            found.append((name.removeprefix("runtimepack."), version))
        elif kind == "package" and (content.get("runtime") or content.get("native") or content.get("runtimeTargets")):
            found.append((name, version))
    return found


def notice(name: str, version: str) -> str:
    """Returns the statement of a NuGet package's origin and licence. Exits if the package has no licence, because such a package must not
    be redistributed."""
    folder = PACKAGES / name.lower() / version.lower()
    (specification,) = folder.glob("*.nuspec")
    metadata = {re.sub(r"\{.*\}", "", element.tag): element for element in ElementTree.parse(specification).getroot()[0]}
    licence = metadata.get("license")
    lines = [f"{name} {version}", f"Authors: {metadata['authors'].text.strip()}"]
    if (holder := metadata.get("copyright")) is not None and holder.text:
        lines.append(f"Copyright: {holder.text.strip()}")
    texts = []
    if licence is not None and licence.get("type") == "expression":
        lines.append(f"Licence: {licence.text.strip()}")
    elif licence is not None:
        texts.append((folder / licence.text.strip()).read_text("utf-8-sig", errors="replace"))
    elif (url := metadata.get("licenseUrl")) is not None:
        lines.append(f"Licence: {url.text.strip()}")
    else:
        raise SystemExit(f"notices.py: {name} {version} names no licence")
    texts += [(folder / file).read_text("utf-8-sig", errors="replace") for file in (*LICENCE_FILES, *NOTICE_FILES) if (folder / file).exists() and not (licence is not None and file == (licence.text or "").strip())]
    return "\n".join(lines) + "".join(f"\n\n{text.strip()}" for text in texts)


def indented(text: str) -> str:
    """Formats text as a field of `copyright`, in which each line begins with a blank and an empty line becomes a dot."""
    return "\n".join(f" {line.rstrip()}" if line.strip() else " ." for line in text.replace("\f", "").strip().splitlines())
