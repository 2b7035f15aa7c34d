namespace Optiks.Protocol;

/// <summary>Lookup is the answer for one key (docs/spec/pahd.md section 2).</summary>
/// <param name="Version">a, the latest version; 0: absent.</param>
/// <param name="Members">The ladder's rungs that are not known.</param>
/// <param name="Next">Absence of a + 1.</param>
public sealed record Lookup(ulong Version, IReadOnlyList<Member> Members, NonMember Next)
{
    private const uint MaxMembersLength = (1u << 24) - 1;

    internal static Lookup Decode(ref TlsReader reader) =>
        new(reader.UInt64("lookup.version"), reader.Vector(0, MaxMembersLength, "lookup.members", Member.Decode), NonMember.Decode(ref reader));
}
