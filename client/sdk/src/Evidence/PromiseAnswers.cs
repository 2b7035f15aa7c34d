using System.Buffers.Binary;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client;

/// <summary>
/// Reads successive HistoryAnswers about one key, and finds out whether they show that the log kept a promise (docs/spec/receipts.md
/// section 6). It verifies each answer only by the log's key and the answer's own record, without a clock. Not thread-safe.
/// </summary>
internal sealed class PromiseAnswers
{
    private readonly TrustAnchor _anchor;
    private readonly Receipt _promise;
    private readonly ReadOnlyMemory<byte> _key;
    private readonly ReadOnlyMemory<byte> _value;
    private List? _list;
    private bool _covers = true;
    private bool _isErased;

    public PromiseAnswers(TrustAnchor anchor, Receipt promise, ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value)
    {
        _anchor = anchor;
        _promise = promise;
        _key = key;
        _value = value;
    }

    /// <summary>The version that keeps the promise; null if no answer read so far shows such a version.</summary>
    public KeyVersion? Kept { get; private set; }

    /// <summary>The first epoch of the period that the last read answer is about.</summary>
    public ulong PeriodFirstEpoch => _list?.PeriodFirstEpoch ?? 0;

    /// <summary>
    /// The version of the key with which the next answer must begin; null if the promise needs no later version of this period.
    /// </summary>
    public ulong? Next => _list is { IsEnded: false } list && list.LastEpoch <= _promise.By ? list.LastVersion + 1 : null;

    /// <summary>The verdict on the answers read so far, if all of them were valid.</summary>
    public Reason Reason => Kept is not null ? Reason.PromiseKept
        : !IsCovered ? Reason.PromiseUncovered
        : _isErased ? Reason.PromiseErased
        : Reason.PromiseBroken;

    // Whether the answers are enough to say that the log broke the promise. The last read answer must reach the epoch by which the promise
    // was due, because until then the log may still keep the promise. The time of that answer must not be before the time of the receipt.
    private bool IsCovered =>
        _covers && _list is { } last && !UnixTime.IsAfter(_promise.TimeMs, last.TimeMs, _anchor.Configuration.MaxAheadMs)
            && ((last.IsEnded && last.Epoch >= _promise.By) || last.LastEpoch > _promise.By);

    /// <summary>Reads the next answer. If the result is not valid, the answers prove nothing, and callers must stop reading.</summary>
    public Reason Add(ReadOnlyMemory<byte> answer)
    {
        if (answer.Length < EpochRecord.Length)
        {
            return Reason.MalformedTruncated;
        }
        var record = EpochRecord.Decode(answer.Span[..EpochRecord.Length]);
        List? before = _list is { IsEnded: false } open && open.Period == record.Period ? open : null;
        ulong from = before is null ? Math.Max(PeekFrom(answer.Span), 1) : before.LastVersion + 1;
        KnownKey known = before is not null ? new KnownKey(0, record.Period, before.LastVersion, before.LastTime, null, before.Latest)
            : from > 1 ? new KnownKey(0, record.Period, from - 1, 0, null, from)
            : default;
        using var keys = new ByteStrings(1);
        keys.Add(_key.Span);
        VersionsVerdict verdict = Verifier.Versions(
            new VerifierContext { Anchor = _anchor, NowMs = 0, EndedRecord = answer[..EpochRecord.Length] }, keys, [known], answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return verdict.Reason;
        }
        VerifiedVersions shown = verdict.Keys[0];
        Cover(before, record, from, shown);
        foreach (VerifiedVersion version in shown.Members)
        {
            if (version.LeafEpoch <= _promise.After || version.LeafEpoch > _promise.By)
            {
                continue;
            }
            if (version.Value is not { } range)
            {
                _isErased = true;
            }
            else if (Kept is null && answer[range].Span.SequenceEqual(_value.Span))
            {
                Kept = new KeyVersion(version.Version, version.LeafEpoch, _value) { Period = record.Period };
            }
        }
        return Reason.Valid;
    }

    private void Cover(List? before, EpochRecord record, ulong from, VerifiedVersions shown)
    {
        if (before is not null)
        {
            _covers &= record.Epoch >= before.Epoch;
        }
        else if (_list is { } ended)
        {
            _covers &= from == 1 && ended.IsEnded && record.Period == ended.Period + 1 && record.PeriodFirstEpoch == ended.Epoch + 1;
        }
        else
        {
            _covers &= record.PeriodFirstEpoch <= _promise.After + 1 && (from == 1 || shown.Members[0].LeafEpoch <= _promise.After);
        }
        _list = new List(record.Period, record.PeriodFirstEpoch, record.Epoch, shown.Version, shown.Complete)
        {
            TimeMs = record.TimeMs,
            LastVersion = shown.Members.Count > 0 ? shown.Members[^1].Version : from - 1,
            LastTime = shown.Members.Count > 0 ? shown.Members[^1].Time : before?.LastTime ?? 0,
            LastEpoch = shown.Members.Count > 0 ? shown.Members[^1].LeafEpoch : before?.LastEpoch ?? 0,
        };
    }

    // Returns the first version in the list of an answer about one key (docs/spec/pahd.md section 2), before the answer is verified; 0 if
    // the answer does not decode.
    private static ulong PeekFrom(ReadOnlySpan<byte> answer)
    {
        int position = EpochRecord.Length;
        for (int vector = 0; vector < 3; vector++)
        {
            if (answer.Length < position + sizeof(ushort))
            {
                return 0;
            }
            position += sizeof(ushort) + BinaryPrimitives.ReadUInt16BigEndian(answer[position..]);
        }
        // Skip the list's length and the latest version; the first version follows.
        position += sizeof(uint) + sizeof(ulong);
        return answer.Length >= position + sizeof(ulong) ? BinaryPrimitives.ReadUInt64BigEndian(answer[position..]) : 0;
    }

    // The versions of one period that were read so far.
    private sealed record List(ulong Period, ulong PeriodFirstEpoch, ulong Epoch, ulong Latest, bool IsEnded)
    {
        // The time of the record that was read last, in Unix milliseconds.
        public required ulong TimeMs { get; init; }

        public required ulong LastVersion { get; init; }

        public required ulong LastTime { get; init; }

        // The leaf epoch of the last version that was read.
        public required ulong LastEpoch { get; init; }
    }
}
