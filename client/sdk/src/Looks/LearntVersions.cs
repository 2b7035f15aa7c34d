namespace Optiks.Client;

/// <summary>A result, with the facts to remember of the subject.</summary>
/// <param name="Shown">The result.</param>
/// <param name="LeftEpoch">
/// If the subject is a user, the epoch of the last answer that showed that the user has left; null if no answer showed that.
/// </param>
/// <param name="Chains">The latest version of each chain; null for the list of a user who has left.</param>
/// <param name="Values">The values that the state refers to by hash from now on.</param>
internal sealed record LearntVersions(ShownVersions Shown, ulong? LeftEpoch, IReadOnlyDictionary<StructureKey, Seen?> Chains,
    IReadOnlyCollection<ReadOnlyMemory<byte>> Values);
