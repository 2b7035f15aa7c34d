using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>A row of the erasure sequence as it is stored, with what its leaf says of itself.</summary>
/// <param name="DecidedIn">Epoch that decided it.</param>
/// <param name="Number">Its number within that epoch's erasures: 0, 1, ...</param>
/// <param name="Erasure">The leaf whose value is gone.</param>
/// <param name="Structure">Structure of the leaf; null, with an empty label, when there is no such leaf. Ignored by an import.</param>
/// <param name="Label">Label of the leaf, 32 octets.</param>
/// <param name="Commitment">Commitment of the leaf, 32 octets: copies of one key have one label.</param>
public sealed record StoredErasure(ulong DecidedIn, int Number, Erasure Erasure, StructureId? Structure, ReadOnlyMemory<byte> Label, ReadOnlyMemory<byte> Commitment);
