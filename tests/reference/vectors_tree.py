"""Makes the vectors in tests/vectors/tree/: roots and append proofs of random histories. Octet strings are in hex."""

import random

import proofs
import tree
from tree import Leaf, to_octets


def _history(name: str, epochs: list[list[Leaf]]) -> dict:
    node, rows = None, []
    for leaves in epochs:
        step = proofs.make_append(node, leaves[0].epoch - 1 if leaves else 0, leaves)
        node = proofs.grow(node, leaves)
        listed = [[to_octets(x.label).hex(), x.commitment.hex(), x.epoch] for x in leaves]
        rows.append({"leaves": listed, "root": tree.root_of(node).hex(), "append": step.encode().hex()})
    everything = [leaf for leaves in epochs for leaf in leaves]
    assert tree.root_of(tree.build(everything)) == tree.root_of(node)
    return {"name": name, "epochs": rows}


def _leaves(rng: random.Random, labels: list[int], epoch: int) -> list[Leaf]:
    return [Leaf(label, rng.randbytes(32), epoch) for label in labels]


def histories() -> list[dict]:
    rng = random.Random(31)
    base = rng.getrandbits(256)
    top = 1 << 255
    rows = [
        _history("empty", [[]]),
        _history("one_leaf", [_leaves(rng, [rng.getrandbits(256)], 1), []]),
        _history("all_zero_and_all_one", [_leaves(rng, [0], 1), _leaves(rng, [2**256 - 1], 2)]),
        _history("differ_in_the_first_bit", [_leaves(rng, [base & ~top, base | top], 1)]),
        _history("root_prefix_255", [_leaves(rng, [base], 1), _leaves(rng, [base ^ 1], 2)]),
        _history("root_prefix_shrinks", [_leaves(rng, [base ^ 1 << i], i + 1) for i in range(0, 256, 5)]),
        _history("chain_of_256", [_leaves(rng, [base], 1), _leaves(rng, [base ^ 1 << i for i in range(256)], 2)]),
        _history("copies_of_epoch_0", [_leaves(rng, [base, base ^ 1 << 200], 0), _leaves(rng, [base ^ 1], 2)]),
        _history("epoch_2_64_minus_1", [_leaves(rng, [base], 2**64 - 1)]),
    ]
    for number in range(12):
        seen: set[int] = set()
        epochs = []
        for epoch in range(1, rng.randrange(3, 9)):
            labels = []
            for _ in range(rng.choice((0, 1, 2, 8, 30))):
                label = rng.getrandbits(256)
                if number % 2 and seen and rng.random() < 0.7:
                    label = rng.choice(sorted(seen)) ^ 1 << rng.randrange(256)
                if label not in seen:
                    seen.add(label)
                    labels.append(label)
            epochs.append(_leaves(rng, labels, epoch))
        rows.append(_history(f"random_{number}" + ("_shared_prefixes" if number % 2 else ""), epochs))
    return rows


def files() -> dict[str, dict]:
    return {
        "tree/histories.json": {
            "note": "each epoch adds leaves [label, commitment, epoch] in no particular order and then has this root; append is"
            " the AppendProof of that step",
            "vectors": histories(),
        }
    }
