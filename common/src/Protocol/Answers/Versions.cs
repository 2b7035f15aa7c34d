namespace Optiks.Protocol;

/// <summary>Holds the part of a history or monitoring answer that is about one key (docs/spec/pahd.md section 2).</summary>
/// <param name="Version">The latest version, a.</param>
/// <param name="From">The first version that the answer lists.</param>
/// <param name="Members">The versions from <paramref name="From"/> on.</param>
/// <param name="Absent">The proofs that later versions are absent; empty in a page that is not the last page.</param>
public sealed record Versions(ulong Version, ulong From, IReadOnlyList<Member> Members, IReadOnlyList<NonMember> Absent)
{
    private const uint MaxAbsentLength = (1u << 24) - 1;

    /// <summary>The values of all opened members, in the order of the versions.</summary>
    public IEnumerable<ReadOnlyMemory<byte>> OpenedValues =>
        Members.Where(member => member.Kind == MemberKind.Opened).Select(member => member.Value);

    internal static Versions Decode(ref TlsReader reader) => new(
        reader.UInt64("versions.version"),
        reader.UInt64("versions.from"),
        reader.Vector(0, uint.MaxValue, "versions.members", Member.Decode),
        reader.Vector(0, MaxAbsentLength, "versions.absent", NonMember.Decode));
}
