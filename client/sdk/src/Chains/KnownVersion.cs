using Optiks.Native;

namespace Optiks.Client;

/// <summary>
/// The facts about a chain that a client's question names: the known version, in the form that the verifier expects, and that version's
/// value.
/// </summary>
internal readonly record struct KnownVersion(KnownKey Known, byte[]? Value)
{
    /// <summary>
    /// Returns the version that the client can name as known. The client names a version only if it still has the version's value, and only
    /// if auditors cover the epochs since the client verified the version's proofs. Otherwise the client requests the full proof again.
    /// </summary>
    public static KnownVersion Of(Seen? seen, Coverage coverage, IClientStateStore store)
    {
        if (seen is null)
        {
            return default;
        }
        Cursor at = seen.At;
        byte[]? value = at.ValueSha256 is null || !coverage.MayLeaveOut(at.ProvenEpoch ?? 0) ? null : store.FindValue(at.ValueSha256);
        return at.Version == 0 || value is not null
            ? new KnownVersion(new KnownKey(seen.LeastEpoch, at.Period, at.Version, at.Time, at.AbsentEpoch), value)
            : new KnownVersion(new KnownKey(seen.LeastEpoch, 0, 0, 0, null), null);
    }

    /// <summary>Returns the version that an owner verified last, for a question that asks only for newer versions.</summary>
    public static KnownKey OfOwner(Cursor at) => new(0, at.Period, at.Version, at.Time, at.AbsentEpoch);

    /// <summary>
    /// Returns the known version that an owner names when it asks only for newer versions of a key. It names the version before its latest
    /// known one, so the server shows the latest known version again. This reveals whether the log replaced or dropped that version
    /// (docs/spec/broken-append.md section 5).
    /// </summary>
    public static KnownKey BeforeOwner(Cursor at) => at.Version switch
    {
        0 => OfOwner(at),
        1 => default,
        _ => new KnownKey(0, at.Period, at.Version - 1, 0, null, at.Version),
    };
}
