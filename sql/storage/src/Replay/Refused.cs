namespace Optiks.Storage;

/// <summary>
/// Says why a replay does not accept the stored data as the log: the data contradicts its records, its checkpoints, itself, or facts that
/// the program knew before. Methods that return a refusal return null if everything was verified. If the database cannot return data, they
/// throw a <see cref="StorageException"/> instead.
/// </summary>
/// <param name="Why">A sentence that gives the reason, without secrets or data about users.</param>
public sealed record Refused(string Why)
{
    /// <summary>Whether the snapshot from which the trees came may be the cause of the refusal. If true, a load without the snapshot shows
    /// whether it was the cause.</summary>
    public bool IsSnapshot { get; init; }
}
