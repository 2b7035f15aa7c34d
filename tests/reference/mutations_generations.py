"""Named changes of honest answers about a user whose name had earlier users (docs/spec/recycled-names.md), each with the one reason for
which a verifier must refuse it. As in mutations.py, the changes need no key of the log.
"""

from collections.abc import Iterator
from dataclasses import replace

import facts
from codec_users import BY_GENERATIONS, CURRENT, HAS_LEFT, NO_SUCH_USER, Generations, UserLookup, UserLookupAnswer
from mutations import Change, member_changes, non_member_changes, versions_item_changes
from mutations_users import committed, with_user


def generation_changes(answer: UserLookupAnswer) -> Iterator[Change]:
    """Yields changes of an answer without parts about one current user, whose name has three generations or more."""
    user = answer.users[0]
    shown = user.generations
    names, left, second = shown.names, shown.left, shown.names.members[1]
    assert user.kind == CURRENT and len(left) >= 2

    def changed(what: str, reason: str, **fields) -> Change:
        return f"generations_{what}", with_user(answer, replace(user, generations=replace(shown, **fields))), reason

    def members(what: str, reason: str, listed: list) -> Change:
        return changed(what, reason, names=replace(names, members=listed))

    for what, item, reason in versions_item_changes(names):
        # An answer about a user cannot have only a page of generations. The verifier refuses a page for its number of members, whatever
        # else is wrong.
        reason = "ladder_count" if what == "page_without_members" else reason
        yield changed(what, reason, names=item)
    yield changed("of_part_1", "part_unknown", record=1)
    yield changed("version_65", "version_range", names=replace(names, version=facts.MAX_GENERATIONS + 1))
    yield changed("version_64", "ladder_count", names=replace(names, version=facts.MAX_GENERATIONS))
    yield changed("version_0", "user_kind", names=replace(names, version=0, members=[]), left=[])
    yield members("second_skipped", "ladder_count", [names.members[0], *names.members[2:]])
    skipped = replace(names, version=names.version - 1, members=[names.members[0], *names.members[2:]])
    yield changed("second_skipped_and_not_counted", "ladder_count", names=skipped, left=left[1:])
    yield members("second_committed", "member_kind", [names.members[0], committed(second), *names.members[2:]])
    yield members("latest_committed", "member_kind", [*names.members[:-1], committed(names.members[-1])])
    yield changed("left_none", "generation_left", left=[])
    yield changed("left_missing", "generation_left", left=left[1:])
    yield changed("left_last_missing", "generation_left", left=left[:-1])
    yield changed("left_twice", "generation_left", left=[*left, left[-1]])
    yield changed("left_absent", "generation_left", left=[replace(left[0], proof=user.decommissioned.proof), *left[1:]])
    yield changed("left_exchanged", "vrf_challenge", left=[left[1], left[0], *left[2:]])
    yield changed("left_by_its_name", "vrf_challenge", left=[replace(left[0], proof=names.members[0]), *left[1:]])
    yield changed("left_of_part_1", "part_unknown", left=[replace(left[0], record=1), *left[1:]])
    yield changed("left_committed", "member_kind", left=[replace(left[0], proof=committed(left[0].proof)), *left[1:]])
    for what, proof, reason in member_changes(left[-1].proof, names.members[0].vrf_proof):
        yield changed(f"left_{what}", reason, left=[*left[:-1], replace(left[-1], proof=proof)])
    for what, proof, reason in member_changes(second, names.members[0].vrf_proof):
        yield members(f"second_{what}", reason, [names.members[0], proof, *names.members[2:]])
    plain = replace(user, generations=None)
    yield "generations_left_out", with_user(answer, plain), "user_kind"
    yield "generations_as_an_entry", with_user(answer, replace(plain, name=left[0])), "user_kind"
    yield "generations_as_left", with_user(answer, replace(user, kind=HAS_LEFT)), "user_kind"
    yield "generations_as_no_such_user", with_user(answer, replace(user, kind=NO_SUCH_USER)), "user_kind"
    none = UserLookup(NO_SUCH_USER, None, None, None, [], replace(shown, names=replace(names, version=0, members=[]), left=[]))
    yield "generations_hidden_as_no_such_user", with_user(answer, none), "vrf_challenge"


def none_changes(answer: UserLookupAnswer) -> Iterator[Change]:
    """Yields changes of an answer about a username that leads to no user."""
    user = answer.users[0]
    shown = user.generations
    assert user.kind == NO_SUCH_USER
    for what, proof, reason in non_member_changes(shown.names.absent[0], b"\0" * facts.VRF_PROOF_LEN):
        if what != "vrf_proof_of_another_version":
            item = replace(user, generations=replace(shown, names=replace(shown.names, absent=[proof])))
            yield f"no_generation_{what}", with_user(answer, item), reason
    unproven = replace(user, generations=replace(shown, names=replace(shown.names, absent=[])))
    yield "no_generation_unproven", with_user(answer, unproven), "ladder_count"


def layout_changes(answer: UserLookupAnswer) -> Iterator[Change]:
    """Yields changes of the layout of an answer of the kind that generation_changes takes."""
    encoded, shown = answer.encode(), answer.users[0].generations
    kind_at = len(answer.head.encode()) + 2 + 4
    left_at = kind_at + 1 + len(Generations(0, shown.names, []).encode()) - 3

    def octet(at: int, value: int) -> bytes:
        return encoded[:at] + bytes([value]) + encoded[at + 1 :]

    assert encoded[kind_at] == BY_GENERATIONS + CURRENT
    yield "generations_kind_3", octet(kind_at, 3), "malformed_enum"
    yield "generations_kind_7", octet(kind_at, 7), "malformed_enum"
    yield "generations_left_entry_kind_2", octet(left_at + 3 + 1, 2), "malformed_enum"
    yield "generations_left_beyond_the_end", octet(left_at, 255), "malformed_truncated"
    for name, at in (("before", kind_at + 1), ("in_names", kind_at + 90), ("before_left", left_at), ("in_left", left_at + 60)):
        yield f"generations_truncated_{name}", encoded[:at], "malformed_truncated"
