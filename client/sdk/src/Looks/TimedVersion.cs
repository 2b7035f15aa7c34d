using Optiks.Native;

namespace Optiks.Client;

/// <summary>A version that an answer showed, with its time (<c>T</c> in docs/spec/pahd.md).</summary>
internal sealed record TimedVersion(KeyVersion Version, ulong Time)
{
    /// <summary>The SHA-256 of the version's value in hexadecimal; null if the answer shows no value.</summary>
    public string? ValueSha256 => Version.Value is { } value ? ValueHash.Of(value.Span) : null;

    /// <summary>Tells whether the answer shows the value of each version.</summary>
    public static bool AreShown(IReadOnlyList<TimedVersion> versions) => versions.All(one => one.Version.Value is not null);

    /// <summary>Tells whether the first argument shows a value that the second argument does not show.</summary>
    public static bool ShowMore(IReadOnlyList<TimedVersion> versions, IReadOnlyList<TimedVersion> than) =>
        than.Where(one => one.Version.Value is null)
            .Any(one => versions.Any(shown => shown.Version.Version == one.Version.Version && shown.Version.Value is not null));

    /// <summary>Returns the versions of an accepted answer, with copies of their values.</summary>
    public static IReadOnlyList<TimedVersion> Of(VerifiedVersions shown, ulong period, ReadOnlyMemory<byte> answer) =>
    [
        .. shown.Members.Select(member =>
            new TimedVersion(
                new KeyVersion(member.Version, member.LeafEpoch,
                    member.Value is { } range ? answer[range].ToArray() : default(ReadOnlyMemory<byte>?)) { Period = period },
                    member.Time)),
    ];
}
