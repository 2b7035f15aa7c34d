using System.Collections.Concurrent;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// Holds everything from which an answer is made: trees, record and heads. They are kept together so that no answer mixes two epochs. For
/// answers about a recent epoch or an ended period, there is another instance. It has the record of that epoch, or of that period's last
/// epoch, and the log of the current checkpoint. Immutable and thread-safe. The view counts references, so a reader that got the epoch from
/// <see cref="CurrentEpoch"/> must call <see cref="Release"/>.
/// </summary>
internal sealed class ServedEpoch
{
    private const double MaxAgeSeconds = 1e10;

    private readonly Dictionary<ulong, ServedEpoch> _ended;
    private readonly Dictionary<ulong, RecentEpoch> _recent;
    private readonly ConcurrentDictionary<ulong, ServedEpoch> _seen = new();

    /// <param name="view">The trees of the epoch.</param>
    /// <param name="epoch">The verified epoch.</param>
    /// <param name="board">The reader of the board's tiles, from which the log is read.</param>
    /// <param name="ended">The ended periods that are served together with this epoch.</param>
    /// <param name="recent">The earlier epochs of the same period about which requests may still ask.</param>
    /// <param name="isBehind">The value of <see cref="IsBehind"/>.</param>
    public ServedEpoch(DirectoryView view, VerifiedEpoch epoch, ITileReader board, IEnumerable<EndedPeriod> ended,
        IEnumerable<RecentEpoch> recent, bool isBehind)
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

    // Creates an instance that answers about an earlier record, of a recent epoch or of an ended period. It has the trees (`view`) of that
    // record, but the log and the checkpoint of `current`.
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

    /// <summary>Whether later epochs were already published when the replica began to serve this one.</summary>
    public bool IsBehind { get; }

    /// <summary>The view of the trees.</summary>
    public DirectoryView View { get; }

    /// <summary>The epoch of the checkpoint's last record, even if the answers are about an ended period.</summary>
    public ulong Epoch { get; }

    /// <summary>
    /// The time that determines the age of answers, in Unix milliseconds. It is the time of the record that the answers are about. But if
    /// they are about the last record of an ended period, it is the time of the record of <see cref="Epoch"/>.
    /// </summary>
    public ulong TimeMs { get; }

    /// <summary>
    /// The encoded record that the answers are about. It is the checkpoint's last record, a recent record, or the last record of an ended
    /// period.
    /// </summary>
    public ReadOnlyMemory<byte> Record { get; }

    /// <summary>The checkpoint of the log up to the epoch, as a signed note.</summary>
    public ReadOnlyMemory<byte> Checkpoint { get; }

    /// <summary>The period of the record that the answers are about.</summary>
    public ulong Period { get; }

    /// <summary>Renders the bounds of the periods up to this epoch, that is the records of each period's first and last epochs.</summary>
    public EpochBounds Bounds { get; }

    /// <summary>Renders the heads of the answers.</summary>
    public EpochHeads Heads { get; }

    /// <summary>The log of this epoch's checkpoint.</summary>
    public BoardLog Log { get; }

    /// <summary>
    /// Returns the instance for answers about an ended period; null if this replica does not have that period's trees. The caller must take
    /// a reference to it.
    /// </summary>
    public ServedEpoch? FindEnded(ulong period) => _ended.GetValueOrDefault(period);

    /// <summary>
    /// Returns the instance for answers about this epoch or a recent epoch; null if the epoch is not kept. The caller must take a reference
    /// to it.
    /// </summary>
    public ServedEpoch? FindRecent(ulong epoch) => epoch == Epoch ? this
        : _recent.TryGetValue(epoch, out RecentEpoch? before)
            ? _seen.GetOrAdd(epoch, _ => new ServedEpoch(this, before.View, before.Record, before.TimeMs))
            : null;

    /// <summary>
    /// Returns the record's age at a given time; it is negative if the record is from the future. The result is bounded, so that an
    /// impossible time in the record does not cause an overflow.
    /// </summary>
    public TimeSpan AgeAt(DateTimeOffset now) =>
        TimeSpan.FromSeconds(Math.Clamp((now.ToUnixTimeMilliseconds() - (double)TimeMs) / 1000, -MaxAgeSeconds, MaxAgeSeconds));

    /// <summary>Takes a reference to the view; returns false if the epoch is superseded and nobody uses it any more.</summary>
    public bool TryAcquire() => View.TryAcquire();

    /// <summary>Releases a reference taken by <see cref="TryAcquire"/>.</summary>
    public void Release() => View.Release();

    /// <summary>Releases the creator's reference, so that the trees are freed once their last reader has ended.</summary>
    public void Retire() => View.Dispose();
}
