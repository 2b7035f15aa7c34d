using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli.Inspecting;

/// <summary>Judges a decoded answer, by passing the answer's original octets to the verifier.</summary>
internal sealed partial class SavedAnswerJudge
{
    private readonly TrustAnchor _anchor;
    private readonly ulong? _now;
    private readonly byte[]? _trustedRecord;
    private readonly byte[]? _periodRecord;
    private readonly byte[]? _endedRecord;
    private readonly ReadOnlyMemory<byte> _user;
    private readonly ReadOnlyMemory<byte> _device;

    /// <param name="anchor">The trust anchor by which to judge answers.</param>
    /// <param name="now">
    /// The time at which the answer is judged, in Unix milliseconds: the judge computes the age of records from it. If null, the judge uses
    /// each record's own time, so that no record is too old.
    /// </param>
    /// <param name="trustedRecord">
    /// The record at which an audit proof begins, or the record before a saved record; null if the user gives no such record.
    /// </param>
    /// <param name="periodRecord">The record of the first epoch of the period of <paramref name="trustedRecord"/>; null if the user gives
    /// no such record.</param>
    /// <param name="endedRecord">The record of the last epoch of the period in a history or monitoring answer; null for the current
    /// period.</param>
    /// <param name="user">Id of the user, for an answer to the user's owner; empty for other answers.</param>
    /// <param name="device">The one device that a question about users named; empty if it asked for all devices.</param>
    public SavedAnswerJudge(TrustAnchor anchor, ulong? now, byte[]? trustedRecord, byte[]? periodRecord, byte[]? endedRecord,
        ReadOnlyMemory<byte> user, ReadOnlyMemory<byte> device)
    {
        _user = user;
        _device = device;
        _anchor = anchor;
        _now = now;
        _trustedRecord = trustedRecord;
        _periodRecord = periodRecord;
        _endedRecord = endedRecord;
    }

    public Judgement Judge(SavedAnswer saved, byte[] octets, IReadOnlyList<ReadOnlyMemory<byte>> keys) => saved switch
    {
        SavedAnswer.OfLookups(LookupAnswer answer) => Lookups(answer, octets, keys),
        SavedAnswer.OfVersions(VersionsAnswer answer) => Versions(answer, octets, keys),
        SavedAnswer.OfUsers(UserLookupAnswer answer) => Users(answer, octets, keys),
        SavedAnswer.OfOwnUser(UserMonitorAnswer answer) => OwnUser(answer, octets, keys),
        SavedAnswer.OfPeriods(PeriodsAnswer answer) => Periods(answer, octets),
        SavedAnswer.OfHead(AnswerHead head) => JudgeHead(head, octets),
        SavedAnswer.OfAudit(AuditProof proof) => Audit(proof, octets),
        SavedAnswer.OfRecord(EpochRecord record) => JudgeRecord(record, octets),
        _ => Checkpoint(octets),
    };

    private string AgeNote => _now is null ? "its age (--fresh), " : "";

    private Judgement Lookups(LookupAnswer answer, byte[] octets, IReadOnlyList<ReadOnlyMemory<byte>> keys)
    {
        RequireWhole(answer.Head);
        RequireKeys(keys, answer.Lookups.Count);
        using ByteStrings names = Names(keys);
        LookupVerdict verdict = Verifier.Lookup(Context(answer.Head.Record), names, new KnownKey[keys.Count], octets);
        return ToJudgement("lookup answer", verdict.Reason, verdict.Head, [.. verdict.Keys.Select((lookup, i) => new JudgedKey(
            keys[i], lookup.Version > 0 ? "present" : "absent", lookup.Version,
            lookup.Value is { } range ? octets.AsMemory(range) : null))]);
    }

    private Judgement Versions(VersionsAnswer answer, byte[] octets, IReadOnlyList<ReadOnlyMemory<byte>> keys)
    {
        RequireWhole(answer.Head);
        RequireKeys(keys, answer.Versions.Count);
        using ByteStrings names = Names(keys);
        // If a page begins after version 1, the client already knew the earlier versions, which are not in this file. Assume the least that
        // the client can have known about them: that the version before the page was the latest version at epoch 0.
        ulong period = EpochRecord.ReadPeriod(answer.Head.Record.Span);
        KnownKey[] known =
            [.. answer.Versions.Select(versions => versions.From > 1 ? new KnownKey(0, period, versions.From - 1, 0, 0) : default)];
        VersionsVerdict verdict = Verifier.Versions(ForEndedPeriod(Context(answer.Head.Record)), names, known, octets);
        Judgement judgement = ToJudgement(
            "history or monitor answer", verdict.Reason, verdict.Head,
            [.. verdict.Keys.Select((versions, i) => new JudgedKey(keys[i], "valid", Shown(versions), null))], _endedRecord is not null);
        string before = verdict.Keys.Any(versions => versions.From > 1)
            ? "the versions before the first that it lists: it is a page, "
            : "";
        string after = verdict.Keys.All(versions => versions.Complete)
            ? ""
            : "whether there are later versions: it is a page that another one follows, ";
        return judgement with { NotChecked = $"{before}{after}{judgement.NotChecked}" };
    }

    // Returns the latest version that the answer proves, which is the last version in the list. An empty list proves that the key has no
    // version if the question began at version 1 and the list is complete; the result is then 0. For any other empty list the result is
    // null.
    private static ulong? Shown(VerifiedVersions versions) =>
        versions.Members.Count > 0 ? versions.Members[^1].Version : versions is { From: 1, Complete: true } ? 0 : null;

    private Judgement ToJudgement(string kind, Reason reason, VerifiedHead? head, IReadOnlyList<JudgedKey> keys, bool isEnded = false)
    {
        bool isFreshChecked = _now is not null && !isEnded;
        if (reason != Reason.Valid)
        {
            return new Judgement { Kind = kind, Reason = reason, IsFreshChecked = isFreshChecked };
        }
        return new Judgement
        {
            Kind = kind,
            Reason = reason,
            Epoch = head!.Epoch,
            Time = Time(head.TimeMs),
            IsFreshChecked = isFreshChecked,
            Keys = keys,
            Checked =
                $"the log's signature on {head.Size} epochs, the record of epoch {head.Epoch} among them ({Time(head.TimeMs):yyyy-MM-dd HH:mm:ss}Z){(keys.Count > 0 ? ", the proofs in its tree" : "")}",
            NotChecked = isEnded
                ? "that the record is that of the period's last epoch (an answer about periods shows it), and whether the log shows others the same"
                : $"{AgeNote}whether the log has newer, and whether it shows others the same",
        };
    }

    private Judgement JudgeHead(AnswerHead head, byte[] octets)
    {
        RequireWhole(head);
        HeadVerdict verdict = Verifier.VerifyHead(Context(head.Record), octets);
        return ToJudgement("head", verdict.Reason, verdict.Head, []);
    }

    private Judgement Periods(PeriodsAnswer answer, byte[] octets)
    {
        RequireWhole(answer.Head);
        ulong from = answer.Bounds.Count > 0 ? EpochRecord.ReadPeriod(answer.Bounds[0].Record.Span) : 0;
        PeriodsVerdict verdict = Verifier.Periods(Context(answer.Head.Record) with { KeptRecord = _trustedRecord }, from, octets);
        Judgement judgement = ToJudgement("answer about periods", verdict.Reason, verdict.Head, []);
        return verdict.Reason != Reason.Valid ? judgement : judgement with
        {
            Checked =
                $"{judgement.Checked}, {Describe([.. verdict.Bounds.Select(bound => EpochRecord.Decode(octets.AsSpan(bound)))], verdict.Head!)}",
            NotChecked = $"{judgement.NotChecked}, and the epochs between these (optiks audit has them)",
        };
    }

    private static string Describe(IReadOnlyList<EpochRecord> bounds, VerifiedHead head) =>
        string.Join(", ", bounds.GroupBy(record => record.Period).Select(period =>
        period.Key == head.Period
            ? $"period {period.Key} from epoch {period.First().Epoch} on"
            : $"period {period.Key} from epoch {period.First().Epoch} to {period.Last().Epoch}"));

    private VerifierContext ForEndedPeriod(VerifierContext context) => context with { EndedRecord = _endedRecord };

    private Judgement Audit(AuditProof proof, byte[] octets)
    {
        if (_trustedRecord is null)
        {
            throw new UsageException(
                "An audit proof is judged from a record on that you trust: give --from-record FILE, the record of the epoch at which it begins.");
        }
        var from = EpochRecord.Decode(_trustedRecord);
        byte[] period = _periodRecord ?? (from.Epoch == from.PeriodFirstEpoch
            ? _trustedRecord
            : throw new UsageException(
                $"An audit proof is judged by the time at which the period began, too: give --period-record FILE, the record of epoch {from.PeriodFirstEpoch}."));
        AuditVerdict verdict = Verifier.Audit(Context(proof.Records[^1]), _trustedRecord, period, octets);
        if (verdict.Reason != Reason.Valid)
        {
            return new Judgement { Kind = "audit proof", Reason = verdict.Reason, IsFreshChecked = _now is not null };
        }
        var last = EpochRecord.Decode(verdict.NewRecord.Span);
        return new Judgement
        {
            Kind = "audit proof",
            Reason = Reason.Valid,
            Epoch = last.Epoch,
            Time = Time(last.TimeMs),
            IsFreshChecked = _now is not null,
            Checked =
                $"that every record from epoch {from.Epoch} to {last.Epoch} follows the one before it, and that nothing was removed or rewritten",
            NotChecked =
                $"{AgeNote}{SwitchNote(verdict)}that the log signed these records: they must be the board's entries (optiks audit compares them)",
        };
    }

    private static string SwitchNote(AuditVerdict verdict) => verdict.Structures.Count < StructureState.StructureCount
        ? "what devices and keys hold from this switch of the period on, which is for their owners to check, "
        : "";

    private Judgement JudgeRecord(EpochRecord record, byte[] octets)
    {
        Reason reason = LogVerifier.VerifyRecord(_anchor, octets, _trustedRecord);
        return new Judgement
        {
            Kind = "record",
            Reason = reason,
            Epoch = reason == Reason.Valid ? record.Epoch : null,
            Time = reason == Reason.Valid ? Time(record.TimeMs) : null,
            Checked = _trustedRecord is null
                ? "that it is a record of this log"
                : $"that it is a record of this log, and agrees with that of epoch {EpochRecord.Decode(_trustedRecord).Epoch}",
            NotChecked = "its age, and that the log signed it: a head or an answer has what shows it",
        };
    }

    private Judgement Checkpoint(byte[] octets)
    {
        Reason reason = LogVerifier.Checkpoint(_anchor, octets, out ulong size, out _);
        return new Judgement
        {
            Kind = "checkpoint",
            Reason = reason,
            Epoch = reason == Reason.Valid && size > 0 ? size - 1 : null,
            Checked = $"the log's signature on {size} epochs",
            NotChecked = "its age, which a checkpoint does not say, and whether it extends others",
        };
    }

    private VerifierContext Context(ReadOnlyMemory<byte> record) => new()
    {
        Anchor = _anchor,
        NowMs = _now ?? FindTime(record),
    };

    private static ulong FindTime(ReadOnlyMemory<byte> record)
    {
        try
        {
            return EpochRecord.Decode(record.Span).TimeMs;
        }
        catch (EncodingException)
        {
            // The record does not decode, so it has no time. The returned number has no effect, because the verifier refuses such a record
            // and gives the reason.
            return 0;
        }
    }

    private static void RequireWhole(AnswerHead head)
    {
        if (head.Checkpoint.IsEmpty)
        {
            throw new UsageException(
                "This answer leans on a checkpoint that its client had kept, and has none itself: only an answer that was asked for without checkpoint_size can be judged alone.");
        }
    }

    private static DateTimeOffset Time(ulong milliseconds) =>
        milliseconds <= (ulong)DateTimeOffset.MaxValue.ToUnixTimeMilliseconds()
            ? DateTimeOffset.FromUnixTimeMilliseconds((long)milliseconds)
            : DateTimeOffset.MaxValue;

    private static void RequireKeys(IReadOnlyList<ReadOnlyMemory<byte>> keys, int count)
    {
        if (keys.Count != count)
        {
            throw new UsageException(
                $"The answer is for {count} {(count == 1 ? "key or name" : "keys or names")}: name {(count == 1 ? "it" : "them, in the order in which they were asked for")}, as optiks verify FILE KEY...");
        }
    }

    private static ByteStrings Names(IReadOnlyList<ReadOnlyMemory<byte>> keys)
    {
        var names = new ByteStrings(keys.Count);
        foreach (ReadOnlyMemory<byte> key in keys)
        {
            names.Add(key.Span);
        }
        return names;
    }
}
