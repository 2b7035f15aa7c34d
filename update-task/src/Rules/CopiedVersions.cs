using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Pipeline;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Maps versions of the previous period to versions of the current period (docs/spec/periods.md section 9). The mapping serves clients
/// whose requests still expect a version of the previous period, because they did not know of the switch.
/// </summary>
internal sealed class CopiedVersions
{
    private readonly Dictionary<UpdateKey, ulong> _copied = [];

    private CopiedVersions(ulong period) => Period = period;

    /// <summary>The current period.</summary>
    public ulong Period { get; }

    /// <summary>Returns an empty mapping, for requests that expect no versions of the previous period.</summary>
    public static CopiedVersions None(ulong period) => new(period);

    /// <summary>
    /// Asks the database which versions of the previous period were copied, and returns them as a mapping. It asks only for a key whose
    /// request expects a version of the previous period and whose latest version is still the copy. There are few such keys, and only
    /// shortly after a switch.
    /// </summary>
    public static async Task<CopiedVersions> ReadAsync(
        LogSession session, PipelineStore store, IReadOnlyList<PendingRequest> pending, CancellationToken cancellationToken)
    {
        var copied = new CopiedVersions(session.Period.Period);
        var keys = new List<UpdateKey>();
        var names = new List<LeafName>();
        foreach (AcceptItem item in pending.SelectMany(request => request.Items))
        {
            if (copied.IsBefore(item.Expected) && item.Expected!.Value.Version > 0 && item.Structure.IsPerPeriod()
                && ComputeLabel(session.Directory, item) is { } label)
            {
                keys.Add(new UpdateKey(item.Structure, item.Key));
                names.Add(new LeafName(0, item.Structure, label) { Period = copied.Period });
            }
        }
        IReadOnlyList<LeafPlace?> places = names.Count == 0 ? [] : await store.FindLeavesAsync(names, cancellationToken);
        for (int i = 0; i < places.Count; i++)
        {
            if (places[i] is { } place)
            {
                CopyBatch copy = await store.ReadCopiesAsync(copied.Period, place.Ordinal, 1, LeafColumns.Trees, cancellationToken);
                copied._copied[keys[i]] = copy.Sources.Span[0].Version;
            }
        }
        return copied;
    }

    /// <summary>
    /// Returns the version that an item expects, as a version of the current period. If the item names the version of the previous period
    /// that was copied, and the copy is still the latest version, this is version 1. If it names version 0 of the previous period, this is
    /// version 0. All other expected versions are returned unchanged.
    /// </summary>
    public ExpectedVersion? Now(AcceptItem item) => !IsBefore(item.Expected) ? item.Expected
        : item.Expected!.Value.Version == 0 ? new ExpectedVersion(Period, 0)
        : _copied.TryGetValue(new UpdateKey(item.Structure, item.Key), out ulong version) && version == item.Expected.Value.Version
            ? new ExpectedVersion(Period, 1)
        : item.Expected;

    private bool IsBefore(ExpectedVersion? expected) => expected is { } version && Period > 0 && version.Period == Period - 1;

    // Returns the label of the key's version 1, if version 1 is the latest version and a copy; otherwise returns null.
    private static byte[]? ComputeLabel(KeyDirectory directory, AcceptItem item)
    {
        using var keys = new ByteStrings();
        keys.Add(item.Key.Span);
        ulong[] versions = new ulong[1];
        directory.Versions([item.Structure], keys, versions);
        byte[] label = new byte[Lengths.Hash];
        ulong[] epochs = new ulong[1];
        return versions[0] == 1 && directory.TryLeaves(item.Structure, item.Key.Span, 1, label, epochs) && epochs[0] == 0 ? label : null;
    }
}
