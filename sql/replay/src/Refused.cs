namespace Optiks.Storage.Replay;

/// <summary>
/// Says why what is stored is not the log: it contradicts its records, its checkpoints, itself, or what was known before. Methods that may give one give null when everything
/// was verified. What the database could not give is a <see cref="StorageException"/> instead.
/// </summary>
/// <param name="Why">A sentence that is fit for anyone's eyes.</param>
public sealed record Refused(string Why)
{
    /// <summary>OfSnapshot: the snapshot that the trees began with may be at fault. A load without it tells.</summary>
    public bool OfSnapshot { get; init; }
}
