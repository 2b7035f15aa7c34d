using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>
/// Checks that a period begins with a copy of the latest version of every key of the previous period, and with nothing else. Keys of users
/// who have left must have no copy (docs/spec/periods.md section 2). Values that were erased or destroyed are not compared.
/// </summary>
internal static class HandOverCheck
{
    /// <summary>Compares the keys at the end of a period with the copies with which the next period begins.</summary>
    public static void Run(
        ulong period, IReadOnlyDictionary<(StructureId Structure, UInt128), LatestVersion> ended,
        IReadOnlyDictionary<(StructureId Structure, UInt128), LatestVersion> copies, LeftKeys left, FsckReport report)
    {
        var latest = new Dictionary<(ulong, int), ((StructureId Structure, UInt128) Key, LatestVersion State)>(ended.Count);
        foreach (((StructureId, UInt128) key, LatestVersion state) in ended)
        {
            latest.Add((state.Epoch, state.Ordinal), (key, state));
        }
        foreach (((StructureId structure, _), LatestVersion copy) in copies)
        {
            CopySource source = copy.Source;
            if (!latest.Remove((source.Epoch, source.Ordinal), out ((StructureId Structure, UInt128) Key, LatestVersion State) found)
                || found.Key.Structure != structure || found.State.Version != source.Version)
            {
                report.Found(
                    $"Copy {copy.Ordinal} of period {period} is a copy of version {source.Version} at {source.Ordinal} of {Place(source.Epoch)}, which is not the latest version of its key, or its key has another copy.");
                continue;
            }
            if (Differ(copy.KeyHash, found.State.KeyHash) || Differ(copy.ValueHash, found.State.ValueHash))
            {
                report.Found($"Copy {copy.Ordinal} of period {period} has another key or value than its source.");
            }
            if (left.Contains(structure, copy.KeyHash == 0 ? found.State.KeyHash : copy.KeyHash))
            {
                report.Found($"Copy {copy.Ordinal} of period {period} belongs to a user who had left.");
            }
        }
        foreach (((StructureId Structure, UInt128) Key, LatestVersion State) missing in latest.Values)
        {
            // If the value was erased, nothing shows to which user the key belongs. The value of a latest version is erased only with
            // everything of a user who has left, so such a key must have no copy.
            if (missing.State.KeyHash != 0 && !left.Contains(missing.Key.Structure, missing.State.KeyHash))
            {
                report.Found(
                    $"Period {period} has no copy of version {missing.State.Version} at {missing.State.Ordinal} of {Place(missing.State.Epoch)}, the latest of its key.");
            }
        }
    }

    private static string Place(ulong epoch) => epoch == 0 ? "the copies before" : FormattableString.Invariant($"epoch {epoch}");

    private static bool Differ(ulong one, ulong other) => one != 0 && other != 0 && one != other;
}
