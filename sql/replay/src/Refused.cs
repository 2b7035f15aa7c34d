namespace Optiks.Storage.Replay;

/// <summary>
/// Says why the stored data is not the log: it contradicts its records, its checkpoints, itself, or what was known before. Methods that may
/// return one return null when everything was verified. Data that the database could not return is a <see cref="StorageException"/>
/// instead.
/// </summary>
/// <param name="Why">A sentence that anyone may read.</param>
public sealed record Refused(string Why)
{
    /// <summary>Whether the snapshot that the trees began with may be at fault; a load without it shows whether it was.</summary>
    public bool IsSnapshot { get; init; }
}
