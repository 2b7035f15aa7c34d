using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Makes verdicts from the native verifier's results.</summary>
internal static class VerifierResults
{
    /// <summary>
    /// The length of the shortest member of a Versions structure. It has a VRF proof, an epoch, a kind, an opening, the length of an empty
    /// value, and a path without siblings.
    /// </summary>
    public const int LeastMemberLength = Lengths.VrfProof + 8 + 1 + Lengths.Opening + 3 + Lengths.Hash + 2;

    public static int? FindFailedKey(nuint failed, int count) => failed < (nuint)count ? (int)failed : null;

    public static VerifiedHead MakeHead(in Interop.HeadResult head) => new(
        head.Epoch,
        head.Period,
        head.PeriodFirstEpoch,
        head.TimeMs,
        head.Size,
        ((ReadOnlySpan<byte>)head.Root).ToArray(),
        Slice(head.RecordOffset, EpochRecord.Length),
        Slice(head.CheckpointOffset, head.CheckpointLen));

    public static VerifiedLookup MakeLookup(in Interop.LookupResult result) =>
        new(result.Version, result.Time, result.LeafEpoch, ValueRange(result.HasValue, result.ValueOffset, result.ValueLen),
            result.BeginsWithCopy != 0);

    public static VerifiedVersions[] MakeVersions(Interop.VersionsResult[] results, ReadOnlySpan<Interop.VersionEntry> entries)
    {
        var accepted = new VerifiedVersions[results.Length];
        for (int i = 0; i < accepted.Length; i++)
        {
            ref readonly Interop.VersionsResult result = ref results[i];
            var versions = new VerifiedVersion[result.NumEntries];
            for (int j = 0; j < versions.Length; j++)
            {
                ref readonly Interop.VersionEntry entry = ref entries[j];
                versions[j] = new VerifiedVersion(
                    entry.Version, entry.LeafEpoch, entry.Time, ValueRange(entry.HasValue, entry.ValueOffset, entry.ValueLen));
            }
            entries = entries[versions.Length..];
            accepted[i] = new VerifiedVersions(result.Version, result.From, versions, result.Complete != 0);
        }
        return accepted;
    }

    public static Range Slice(nuint offset, nuint length) => new((int)offset, (int)(offset + length));

    private static Range? ValueRange(int hasValue, nuint offset, nuint length) => hasValue == 0 ? null : Slice(offset, length);
}
