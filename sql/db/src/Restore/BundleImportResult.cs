namespace Optiks.Db.Restore;

/// <summary>The result of an import of bundles.</summary>
/// <param name="Epochs">The number of epochs that the import added.</param>
/// <param name="Updates">The number of updates in the added epochs.</param>
/// <param name="Head">The epoch of the head row after the import.</param>
internal sealed record BundleImportResult(int Epochs, long Updates, ulong Head)
{
    public string Text() => Epochs == 0
        ? FormattableString.Invariant($"nothing to do: the database is at epoch {Head} and no bundle is newer")
        : FormattableString.Invariant(
            $"added {Epochs} epochs with {Updates} updates: the database is at epoch {Head}; start the update-task");
}
