using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>A row of the erasure sequence as it is stored, together with fields of the erased leaf.</summary>
/// <param name="DecidedIn">Epoch that decided the erasure.</param>
/// <param name="Number">The erasure's number within that epoch: 0, 1, ...</param>
/// <param name="Erasure">The leaf whose value is gone.</param>
/// <param name="Structure">Structure of the leaf; null, with an empty label, when the leaf does not exist. An import ignores the
/// structure.</param>
/// <param name="Label">Label of the leaf, 32 bytes.</param>
/// <param name="Commitment">Commitment of the leaf, 32 bytes. Readers need it to tell copies of one key apart, because these copies all
/// have the same label.</param>
public sealed record StoredErasure(
    ulong DecidedIn, int Number, Erasure Erasure, StructureId? Structure, ReadOnlyMemory<byte> Label, ReadOnlyMemory<byte> Commitment);
