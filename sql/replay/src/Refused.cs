namespace Optiks.Storage.Replay;

/// <summary>
/// Says why the stored data is not the log: it contradicts its records, its checkpoints, itself, or facts known before. Methods that may
/// return a refusal return null when everything was verified. When the database cannot return data, they throw a
/// <see cref="StorageException"/> instead.
/// </summary>
/// <param name="Why">A sentence that anyone may read.</param>
public sealed record Refused(string Why)
{
    /// <summary>Whether the snapshot that the trees began with may be at fault; a load without the snapshot shows whether it was.</summary>
    public bool IsSnapshot { get; init; }
}
