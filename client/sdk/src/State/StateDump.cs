using System.Globalization;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Describes a client's state in words, one line for each fact and without values and notes (docs/spec/client-state.md section 6). The
/// lines are for people and tests, and may change.
/// </summary>
public static class StateDump
{
    /// <summary>Describes everything that the state has. The order of the lines depends on the state alone.</summary>
    public static IEnumerable<string> Describe(ClientState state)
    {
        ArgumentNullException.ThrowIfNull(state);
        return DescribeLog(state)
            .Concat(state.Chains.OrderBy(chain => RecordKeys.ForStructure(RecordKind.Chain, chain.Key))
                .SelectMany(chain => DescribeChain(Name(chain.Key), chain.Value)))
            .Concat(state.Names.OrderBy(name => RecordKeys.ForId(RecordKind.Name, name.Key))
                .Select(name => DescribeName(name.Key, name.Value)))
            .Concat(state.Persons.OrderBy(person => RecordKeys.ForId(RecordKind.Person, person.Key))
                .SelectMany(person => DescribePerson(person.Key, person.Value)))
            .Concat(state.Leaves.OrderBy(leaves => RecordKeys.ForStructure(RecordKind.Leaves, leaves.Key)).Select(leaves =>
                Line($"statements about {Name(leaves.Key)}: {leaves.Value.Count(leaf => leaf.IsPresent)} present, {leaves.Value.Count(leaf => !leaf.IsPresent)} absent")))
            .Concat(state.Notes.OrderBy(notes => RecordKeys.ForId(RecordKind.Note, notes.Key))
                .Select(notes => Line($"notes of key {Show(notes.Key)}: {notes.Value.Length}")));
    }

    private static IEnumerable<string> DescribeLog(ClientState state)
    {
        yield return Line($"log: {state.LogId}");
        if (state.Fork is { } fork)
        {
            yield return Line($"{(fork.Breach is { } breach ? breach.Name() : "fork")}: evidence in {DisplayText.Escape(fork.EvidencePath)}");
        }
        if (state.Head is { } head)
        {
            yield return Line(
                $"head: checkpoint of size {head.Size}, record of epoch {EpochRecord.ReadEpoch(head.Record)} in period {head.Period}");
        }
        foreach (byte[] end in state.PeriodEnds)
        {
            yield return Line($"end of period {EpochRecord.ReadPeriod(end)}: epoch {EpochRecord.ReadEpoch(end)}");
        }
        foreach ((string vkey, CosignerState cosigner) in state.Cosigners.OrderBy(one => one.Key, StringComparer.Ordinal))
        {
            yield return Line($"cosigner {DisplayText.Escape(vkey)}: checkpoint of size {cosigner.Size}");
        }
        foreach (Belief belief in state.Unaudited)
        {
            yield return Line(
                $"not audited: {(belief.Key is { } key ? $"{Show(key)} version {belief.Version}" : "several answers")} at epoch {belief.Epoch}");
        }
    }

    private static IEnumerable<string> DescribeChain(string name, Chain chain)
    {
        if (chain.Seen is { } seen)
        {
            yield return Line(
                $"{name}: {Show(seen.At)} of period {seen.At.Period}, shown up to epoch {seen.LeastEpoch}{(seen.NotCopied ? ", not copied" : "")}");
        }
        if (chain.Own is { } own)
        {
            string verified = own.At is not { } at ? "verified nothing yet"
                : Line($"verified up to {Show(at)} of period {at.Period} at epoch {at.AbsentEpoch?.ToString(CultureInfo.InvariantCulture) ?? "unknown"}");
            string waiting = Count(own.Expected.Length, "change waits", "changes wait");
            string missed = own.NoGuarantee.IsEmpty ? "" : $"; {Count(own.NoGuarantee.Length, "period", "periods")} without guarantee";
            string listed = own.IsListedOnly ? "; owned as a listed device" : "";
            yield return Line($"own {name}: {verified}; {waiting}; {Count(own.Alarms.Length, "alarm", "alarms")}{missed}{listed}");
        }
    }

    private static string DescribeName(string id, NameState name)
    {
        string user = name.User is not { } known ? "no user"
            : name.Generation is { } generation ? Line($"user {Show(known)} in generation {generation}")
            : $"user {Show(known)}";
        return Line($"username {Show(id)}: {user}, shown up to epoch {name.LeastEpoch}");
    }

    private static IEnumerable<string> DescribePerson(string id, Person person)
    {
        if (person.LeftEpoch is { } left)
        {
            yield return Line($"user {Show(id)}: has left, shown up to epoch {left}");
        }
        if (person.Own is { } own)
        {
            string names = own.Names.IsEmpty ? "no username" : string.Join(", ", own.Names.Select(Show));
            string from = own.GoesOnFrom is { } period ? Line($"continues from period {period}") : "continues from the current period";
            string leaving = own.Leaving.IsEmpty ? "" : "; leaving waits";
            yield return Line(
                $"own user {Show(id)}: {names}; {from}; follows {Count(own.Followed.Length, "key", "keys")}; {Count(own.Alarms.Length, "alarm", "alarms")}{leaving}");
        }
    }

    private static string Name(StructureKey key) => key.Structure switch
    {
        StructureId.Keys => $"key {Show(key.Id)}",
        StructureId.Devices => $"list of user {Show(key.Id)}",
        StructureId.Usernames => $"username {Show(key.Id)}",
        _ => $"leaving of user {Show(key.Id)}",
    };

    private static string Show(Cursor cursor) => cursor.Version == 0 ? "no version" : Line($"version {cursor.Version}");

    private static string Show(string id) => DisplayText.Show(RecordBody.FromText(id));

    private static string Count(int number, string one, string many) => Line($"{number} {(number == 1 ? one : many)}");

    private static string Line(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
