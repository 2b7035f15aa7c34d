namespace Optiks.Db.Restore;

/// <summary>Says what an import of bundles did.</summary>
/// <param name="Epochs">Epochs that were added.</param>
/// <param name="Updates">Updates in them.</param>
/// <param name="Head">Epoch of the head row afterwards.</param>
internal sealed record BundleImportResult(int Epochs, long Updates, ulong Head)
{
    public string Text() => Epochs == 0
        ? FormattableString.Invariant($"nothing to do: the database is at epoch {Head} and no bundle is newer")
        : FormattableString.Invariant($"added {Epochs} epochs with {Updates} updates: the database is at epoch {Head}; start the update-task");
}
