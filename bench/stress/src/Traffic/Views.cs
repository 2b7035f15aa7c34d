using System.Collections.Concurrent;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>
/// Keeps what the replicas have shown. For each replica, it keeps the head against which later answers are verified. For all replicas
/// together, it keeps one record for each epoch and one root for each size, to detect that two replicas show different logs. Any thread may
/// use it.
/// </summary>
internal sealed class Views
{
    private readonly TrustAnchor _anchor;
    private readonly TimeProvider _time;
    private readonly KeptHead?[] _kept;
    private readonly ConcurrentDictionary<ulong, byte[]> _records = new();
    private readonly ConcurrentDictionary<ulong, byte[]> _roots = new();
    private readonly ConcurrentDictionary<ulong, long> _seen = new();
    private readonly ConcurrentDictionary<ulong, byte[]> _ends = new();

    public Views(TrustAnchor anchor, int replicas, TimeProvider time)
    {
        _anchor = anchor;
        _time = time;
        _kept = new KeptHead?[replicas];
    }

    /// <summary>
    /// The epochs that the replicas have shown, earliest first, each with the timestamp at which a replica first showed it.
    /// </summary>
    public IReadOnlyList<(ulong Epoch, long Seen)> Epochs => [.. _seen.Select(pair => (pair.Key, pair.Value)).OrderBy(pair => pair.Key)];

    public KeptHead? Kept(int replica) => Volatile.Read(ref _kept[replica]);

    public ulong Latest => _seen.Keys.DefaultIfEmpty().Max();

    /// <summary>The period of the latest epoch.</summary>
    public ulong Period => Record(Latest) is { } record ? EpochRecord.ReadPeriod(record) : 0;

    public VerifierContext Context(KeptHead? kept) => new()
    {
        Anchor = _anchor,
        NowMs = (ulong)_time.GetUtcNow().ToUnixTimeMilliseconds(),
        KeptSize = kept?.Size ?? 0,
        KeptRoot = kept?.Root,
        KeptRecord = kept?.Record,
    };

    /// <summary>Records a verified head. Returns <see cref="Reason.Fork"/> if this head contradicts another verified head.</summary>
    public Reason Learn(int replica, VerifiedHead head, ReadOnlySpan<byte> answer)
    {
        byte[] root = head.Root.ToArray();
        if (!Agrees(head.Epoch, answer[head.Record]) || !_roots.GetOrAdd(head.Size, root).AsSpan().SequenceEqual(root))
        {
            return Reason.Fork;
        }
        _seen.TryAdd(head.Epoch, _time.GetTimestamp());
        var next = new KeptHead(head.Size, root, answer[head.Record].ToArray(), head.Epoch);
        KeptHead? before;
        do
        {
            before = Kept(replica);
            if (before is not null
                && (before.Size > next.Size || before.Epoch > next.Epoch || (before.Size == next.Size && before.Epoch == next.Epoch)))
            {
                return Reason.Valid;
            }
        }
        while (Interlocked.CompareExchange(ref _kept[replica], next, before) != before);
        return Reason.Valid;
    }

    /// <summary>
    /// Keeps the verified bounds of periods, and the verified head of the same answer. Returns another reason than
    /// <see cref="Reason.Valid"/> if they contradict what earlier answers of the log showed.
    /// </summary>
    public Reason Learn(int replica, PeriodsVerdict periods, byte[] answer)
    {
        foreach (Range bound in periods.Bounds)
        {
            if (!Agrees(EpochRecord.ReadEpoch(answer.AsSpan(bound)), answer.AsSpan(bound)))
            {
                return Reason.Fork;
            }
        }
        foreach (Range end in periods.Ends)
        {
            byte[] record = answer[end];
            // If the records differ, the log has two different last records of the same period.
            if (!_ends.GetOrAdd(EpochRecord.ReadPeriod(record), record).AsSpan().SequenceEqual(record))
            {
                return Reason.PeriodBounds;
            }
        }
        return Learn(replica, periods.Head!, answer);
    }

    /// <summary>
    /// Returns the record of the last epoch of a period; null if the period has not ended, or no replica has shown its end.
    /// </summary>
    public byte[]? FindEnd(ulong period) => _ends.GetValueOrDefault(period);

    /// <summary>Keeps the first record of each epoch. Returns false if the given record differs from the kept record of the same
    /// epoch.</summary>
    public bool Agrees(ulong epoch, ReadOnlySpan<byte> record) => _records.GetOrAdd(epoch, record.ToArray()).AsSpan().SequenceEqual(record);

    /// <summary>
    /// Returns the number of versions of keys that the log has published up to an epoch, whose record must have been seen. The number is
    /// the count in the record of that epoch, plus, for each switch that this program followed, the versions that the log did not copy into
    /// the new tree.
    /// </summary>
    public ulong Versions(ulong epoch)
    {
        byte[] record = _records[epoch];
        ulong period = EpochRecord.ReadPeriod(record);
        ulong versions = Held(record);
        foreach (byte[] end in _ends.Where(end => end.Key < period).Select(end => end.Value))
        {
            versions += Held(end) - Held(_records[EpochRecord.ReadEpoch(end) + 1]);
        }
        return versions;
    }

    public byte[]? Record(ulong epoch) => _records.GetValueOrDefault(epoch);

    private static ulong Held(byte[] record) => EpochRecord.Decode(record).Structures[(int)StructureId.Keys - 1].Count;
}
