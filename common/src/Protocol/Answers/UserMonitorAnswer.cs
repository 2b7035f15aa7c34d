namespace Optiks.Protocol;

/// <summary>UserMonitorAnswer is what an owner is shown of its own user (docs/spec/user-monitor.md section 1), decoded for display. Nothing in it has been verified.</summary>
/// <param name="Head">Ties it to a checkpoint.</param>
/// <param name="Names">Of the names asked, in order.</param>
/// <param name="Decommissioned">Present: the user has left.</param>
/// <param name="Devices">Versions of the list; null: the user has left.</param>
/// <param name="Keys">Versions of each followed id's key, in increasing order of the ids.</param>
public sealed record UserMonitorAnswer(AnswerHead Head, IReadOnlyList<UserEntry> Names, UserEntry Decommissioned, Versions? Devices, IReadOnlyList<Versions> Keys)
{
    private const uint MaxNamesLength = (1u << 24) - 1;

    /// <summary>Decode reads the whole answer. Throws <see cref="EncodingException"/>.</summary>
    public static UserMonitorAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var head = AnswerHead.Decode(ref reader);
        List<UserEntry> names = reader.Vector(0, MaxNamesLength, "names", UserEntry.Decode);
        var decommissioned = UserEntry.Decode(ref reader);
        UserMonitorAnswer answer = decommissioned.Member is null
            ? new(head, names, decommissioned, Versions.Decode(ref reader), reader.Vector(0, uint.MaxValue, "keys", Versions.Decode))
            : new(head, names, decommissioned, null, []);
        reader.End("user monitor answer");
        return answer;
    }
}
