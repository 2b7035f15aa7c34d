"""Makes man pages from the output of the programs' --help, so that no text is written twice."""

import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

# Matches a line of a table in System.CommandLine's help: a term, two or more blanks, and the term's meaning.
ROW = re.compile(r"^  (?P<term>\S.*?)(?:  +(?P<text>\S.*))?$")
# Matches the second line of a setting in the help of a service. The first line has the setting's name and default, and the second line has
# its effect.
SETTING_TEXT = re.compile(r"^ {12,}(?P<text>\S.*)$")


def escape(text: str) -> str:
    """Escapes text for a man page, so that roff does not turn dashes into hyphens and does not interpret lines as requests."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text


def literal(lines: list[str]) -> list[str]:
    return [".nf", *[escape(line) for line in lines], ".fi"]


def table(lines: list[str]) -> list[str]:
    """Formats the rows of a help table as a list of terms with their meanings."""
    out = []
    for line in lines:
        row = ROW.match(line)
        out += [".TP", f".B {escape(row['term'])}", escape(row["text"] or "")] if row else [escape(line.strip())]
    return [line for line in out if line]


def prose(lines: list[str]) -> list[str]:
    return [escape(line.strip()) if line.strip() else ".PP" for line in lines]


def blocks(text: str) -> list[tuple[str, list[str]]]:
    """Splits a help text into pairs (title, lines). A title is at the beginning of a line and ends with a colon."""
    parts: list[tuple[str, list[str]]] = []
    for line in text.rstrip().splitlines():
        if re.fullmatch(r"[A-Z][A-Za-z ]*:", line):
            parts.append((line[:-1], []))
        elif parts:
            parts[-1][1].append(line)
    return [(title, trimmed(lines)) for title, lines in parts]


def trimmed(lines: list[str]) -> list[str]:
    text = "\n".join(lines).strip("\n").rstrip()
    return text.splitlines()


@dataclass(frozen=True)
class Page:
    """The man page of a program or of one of the program's commands."""

    package: str
    name: str
    section: int
    program: str
    about: str
    command: tuple[str, ...] = ()
    is_service: bool = False
    see: tuple[str, ...] = ()

    def render(self, folder: Path, number: str, seconds: int) -> str:
        """Returns the man page, made from the help of the program in this folder."""
        body = self._service(folder) if self.is_service else self._commands(folder)
        return "\n".join([
            f'.TH {self.name.upper()} {self.section} "{time.strftime("%Y-%m-%d", time.gmtime(seconds))}" "Optiks {number}" "Optiks"',
            ".SH NAME", f"{escape(self.name)} \\- {escape(self.about)}", *body,
            *([".SH SEE ALSO", ", ".join(f".BR {escape(page.split('(')[0])} ({page.split('(')[1]}" for page in self.see).replace(", .BR", " ,\n.BR")] if self.see else []), ""])

    def _help(self, folder: Path, *command: str) -> str:
        # HOME is a folder that does not exist, so that the defaults in the help do not depend on this machine.
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "DOTNET_CLI_TELEMETRY_OPTOUT": "1", "LC_ALL": "C.UTF-8"}
        return subprocess.run([str(folder / self.program), *command, "--help"], check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout

    def _commands(self, folder: Path) -> list[str]:
        """Formats the help of the program, and then the help of each command. The subcommands of a command follow the command."""
        out, waiting = [], [self.command]
        while waiting:
            command = waiting.pop(0)
            parts = dict(blocks(self._help(folder, *command)))
            is_first = command == self.command
            heading = [] if is_first else [".SH " + escape(" ".join([Path(self.program).name, *command]).upper())]
            usage = parts.get("Usage", [])
            out += [*([".SH SYNOPSIS"] if is_first else heading), *literal([line.strip() for line in usage])]
            if is_first:
                out.append(".SH DESCRIPTION")
            else:
                out.append(".PP")
            out += prose(parts.get("Description", []))
            for title in ("Arguments", "Options"):
                # Options of the whole program are listed only once, not again with each command.
                rows = parts.get(title, [])
                if not is_first and title == "Options":
                    rows = [row for row in rows if row not in common]
                if rows:
                    out += [f".SS {title}", *table(rows)]
            if is_first:
                common = set(parts.get("Options", []))
            if parts.get("Examples"):
                out += [".SS Examples", *literal([line.strip() for line in parts["Examples"]])]
            below = [ROW.match(line)["term"].split()[0] for line in parts.get("Commands", []) if ROW.match(line)]
            waiting = [(*command, name) for name in below] + waiting
        return out

    def _service(self, folder: Path) -> list[str]:
        """Formats a service's help: the purpose and usage, then the settings by section, the environment variables and the exit codes."""
        text = self._help(folder).rstrip()
        head, *sections = text.split("\n\n")
        purpose = head.splitlines()[1:]
        out = [".SH SYNOPSIS"]
        rest: list[str] = []
        for section in sections:
            lines = section.splitlines()
            if lines[0].startswith("Usage:"):
                out += literal([line.replace("Usage:", "").strip() for line in lines])
                out += [".SH DESCRIPTION", *prose(purpose)]
            elif len(lines) > 1 and lines[1].startswith("  "):
                rest += [f".SH {escape(lines[0].upper() if ':' not in lines[0] else lines[0])}", *self._settings(lines[1:])]
            else:
                out += [".PP", *prose(lines)]
        return out + rest

    @staticmethod
    def _settings(lines: list[str]) -> list[str]:
        out = []
        for line in lines:
            if text := SETTING_TEXT.match(line):
                out.append(escape(text["text"]))
            elif row := ROW.match(line):
                out += [".TP", f".B {escape(row['term'])}", *([escape(row["text"])] if row["text"] else [])]
        return out


SERVICES = ("optiks-update-task(8)", "optiks-update-service(8)", "optiks-query-service(8)", "optiks-db(8)", "optiks(1)")
PAGES = {
    "optiks-server": [
        Page("optiks-server", "optiks-update-task", 8, "Optiks.UpdateTask", "makes, signs and publishes the epochs of a key transparency log", is_service=True, see=SERVICES[1:]),
        Page("optiks-server", "optiks-update-service", 8, "Optiks.UpdateService", "takes updates of a key transparency log", is_service=True, see=(SERVICES[0], *SERVICES[2:])),
        Page("optiks-server", "optiks-query-service", 8, "Optiks.QueryService", "answers lookups of a key transparency log", is_service=True, see=(*SERVICES[:2], *SERVICES[3:])),
        Page("optiks-server", "optiks-db", 8, "optiks-db", "the operator's tool for the database of a key transparency log", see=SERVICES[:3]),
    ],
    "optiks-cli": [Page("optiks-cli", "optiks", 1, "optiks", "look up, update, monitor and audit keys of a key transparency log")],
    "optiks-auditor": [
        Page("optiks-cli", "optiks-auditor", 8, "optiks", "follow key transparency logs for others and cosign their checkpoints", command=("auditor",), see=("optiks(1)", "optiks-witness(8)")),
        Page("optiks-cli", "optiks-witness", 8, "optiks", "cosign checkpoints of key transparency logs", command=("witness",), see=("optiks(1)", "optiks-auditor(8)")),
    ],
}
