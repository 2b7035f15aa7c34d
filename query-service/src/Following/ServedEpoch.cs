using System.Collections.Concurrent;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.Storage.Replay;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// Everything from which an answer is made: trees, record and heads together, so that no answer mixes two epochs. Answers about a recent
/// epoch or an ended period have their own instance, with the record of that epoch or period in the log of the current checkpoint.
/// Immutable, any thread. The view counts references: a reader that got the epoch from <see cref="CurrentEpoch"/> returns it with
/// <see cref="Release"/>.
/// </summary>
internal sealed class ServedEpoch
{
    private const double MaxAgeSeconds = 1e10;

    private readonly Dictionary<ulong, ServedEpoch> _ended;
    private readonly Dictionary<ulong, RecentEpoch> _recent;
    private readonly ConcurrentDictionary<ulong, ServedEpoch> _seen = new();

    /// <param name="view">The trees of the epoch.</param>
    /// <param name="epoch">The epoch.</param>
    /// <param name="board">The board from which the log is read.</param>
    /// <param name="ended">The ended periods that are served.</param>
    /// <param name="recent">The epochs of the period that were served before and are kept.</param>
    /// <param name="isBehind">The value of <see cref="IsBehind"/>.</param>
    public ServedEpoch(DirectoryView view, VerifiedEpoch epoch, ITileReader board, IEnumerable<EndedPeriod> ended, IEnumerable<RecentEpoch> recent, bool isBehind)
    {
        View = view;
        Epoch = epoch.Epoch;
        TimeMs = epoch.Record.TimeMs;
        Record = epoch.Row.Record;
        Checkpoint = epoch.Row.Checkpoint;
        Period = epoch.Record.Period;
        Log = new BoardLog(board, Epoch + 1, epoch.Root());
        Heads = new EpochHeads(epoch, Log);
        Bounds = new EpochBounds(Log, Record);
        IsBehind = isBehind;
        _ended = ended.ToDictionary(period => period.Period, period => new ServedEpoch(this, period.View, period.Record, TimeMs));
        _recent = recent.ToDictionary(before => before.Epoch);
    }

    // Creates the instance for answers about another record, with the trees of that record and the log of the current checkpoint.
    private ServedEpoch(ServedEpoch current, DirectoryView view, ReadOnlyMemory<byte> record, ulong timeMs)
    {
        View = view;
        Epoch = current.Epoch;
        TimeMs = timeMs;
        Record = record;
        Checkpoint = current.Checkpoint;
        Period = EpochRecord.ReadPeriod(record.Span);
        Log = current.Log;
        Heads = new EpochHeads(Record, Checkpoint, Log);
        Bounds = current.Bounds;
        IsBehind = current.IsBehind;
        _ended = [];
        _recent = [];
    }

    /// <summary>Whether later epochs were already published when this one was served.</summary>
    public bool IsBehind { get; }

    /// <summary>The view of the trees.</summary>
    public DirectoryView View { get; }

    /// <summary>The epoch of the checkpoint's last record, whichever period the answers are about.</summary>
    public ulong Epoch { get; }

    /// <summary>
    /// The time that determines the age of answers, in Unix milliseconds. It is the time of the record that the answers are about; if that
    /// record ends a period, it is the time of the record of <see cref="Epoch"/>.
    /// </summary>
    public ulong TimeMs { get; }

    /// <summary>
    /// The encoded record that the answers are about: the checkpoint's last one, a recent one, or the last of an ended period.
    /// </summary>
    public ReadOnlyMemory<byte> Record { get; }

    /// <summary>The checkpoint of the log up to the epoch, a signed note.</summary>
    public ReadOnlyMemory<byte> Checkpoint { get; }

    /// <summary>The period of the record.</summary>
    public ulong Period { get; }

    /// <summary>The bounds of the periods up to this epoch.</summary>
    public EpochBounds Bounds { get; }

    /// <summary>The heads of answers.</summary>
    public EpochHeads Heads { get; }

    /// <summary>The log as of this epoch's checkpoint.</summary>
    public BoardLog Log { get; }

    /// <summary>
    /// Returns the instance for answers about an ended period, on which the caller takes its own reference; null when this replica does not
    /// have that period.
    /// </summary>
    public ServedEpoch? FindEnded(ulong period) => _ended.GetValueOrDefault(period);

    /// <summary>
    /// Returns the instance for this epoch or a recent one, on which the caller takes its own reference; null when the epoch is not kept.
    /// </summary>
    public ServedEpoch? FindRecent(ulong epoch) => epoch == Epoch ? this
        : _recent.TryGetValue(epoch, out RecentEpoch? before) ? _seen.GetOrAdd(epoch, _ => new ServedEpoch(this, before.View, before.Record, before.TimeMs)) : null;

    /// <summary>
    /// Returns the record's age at a time; negative when the record is from the future. The result is bounded, so that an impossible time
    /// gives a very great age and no overflow.
    /// </summary>
    public TimeSpan AgeAt(DateTimeOffset now) =>
        TimeSpan.FromSeconds(Math.Clamp((now.ToUnixTimeMilliseconds() - (double)TimeMs) / 1000, -MaxAgeSeconds, MaxAgeSeconds));

    /// <summary>Takes a reference; returns false when the epoch is superseded and unused.</summary>
    public bool TryAcquire() => View.TryAcquire();

    /// <summary>Releases a reference taken by <see cref="TryAcquire"/>.</summary>
    public void Release() => View.Release();

    /// <summary>Releases the creator's reference: the trees are freed after their last reader.</summary>
    public void Retire() => View.Dispose();
}
