namespace Optiks.Protocol;

/// <summary>Lookup is the answer for one key (docs/spec/pahd.md section 2).</summary>
/// <param name="Version">a, the latest version; 0: absent.</param>
/// <param name="Members">The ladder's rungs that are not known.</param>
/// <param name="Absent">Absence of every version in C(a), which is what rules out a later one.</param>
public sealed record Lookup(ulong Version, IReadOnlyList<Member> Members, IReadOnlyList<NonMember> Absent)
{
    private const uint MaxVectorLength = (1u << 24) - 1;

    internal static Lookup Decode(ref TlsReader reader) => new(
        reader.UInt64("lookup.version"),
        reader.Vector(0, MaxVectorLength, "lookup.members", Member.Decode),
        reader.Vector(0, MaxVectorLength, "lookup.absent", NonMember.Decode));
}
