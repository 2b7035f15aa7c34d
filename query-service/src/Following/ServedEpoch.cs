using System.Collections.Concurrent;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.Storage.Replay;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// ServedEpoch is everything that an answer is made from: trees, record and heads together, so that nothing of two epochs is ever mixed. Answers about a recent epoch, or a period that has ended, have one of their own, with
/// that record in the log of the current checkpoint. Immutable, any thread, counted by its view: whoever got it from <see cref="CurrentEpoch"/> gives it back with <see cref="Release"/>.
/// </summary>
internal sealed class ServedEpoch
{
    private const double MaxAgeSeconds = 1e10;

    private readonly Dictionary<ulong, ServedEpoch> _ended;
    private readonly Dictionary<ulong, RecentEpoch> _recent;
    private readonly ConcurrentDictionary<ulong, ServedEpoch> _seen = new();

    /// <param name="view">Trees of the epoch.</param>
    /// <param name="epoch">The epoch.</param>
    /// <param name="board">Where the log is read.</param>
    /// <param name="ended">Periods that have ended and are served.</param>
    /// <param name="recent">Epochs of the period that were served before and are kept.</param>
    /// <param name="isBehind"><see cref="IsBehind"/>.</param>
    public ServedEpoch(DirectoryView view, VerifiedEpoch epoch, ITileReader board, IEnumerable<EndedPeriod> ended, IEnumerable<RecentEpoch> recent, bool isBehind)
    {
        View = view;
        Epoch = epoch.Epoch;
        TimeMs = epoch.Record.TimeMs;
        Record = epoch.Row.Record;
        Checkpoint = epoch.Row.Checkpoint;
        Period = epoch.Record.Period;
        Log = new LogView(board, Epoch + 1, epoch.Root());
        Heads = new EpochHeads(epoch, Log);
        Bounds = new EpochBounds(Log, Record);
        IsBehind = isBehind;
        _ended = ended.ToDictionary(period => period.Period, period => new ServedEpoch(this, period.View, period.Record, TimeMs));
        _recent = recent.ToDictionary(before => before.Epoch);
    }

    // Another record, and its trees, in the log of the current checkpoint.
    private ServedEpoch(ServedEpoch current, DirectoryView view, ReadOnlyMemory<byte> record, ulong timeMs)
    {
        View = view;
        Epoch = current.Epoch;
        TimeMs = timeMs;
        Record = record;
        Checkpoint = current.Checkpoint;
        Period = EpochRecord.PeriodOf(record.Span);
        Log = current.Log;
        Heads = new EpochHeads(Record, Checkpoint, Log);
        Bounds = current.Bounds;
        IsBehind = current.IsBehind;
        _ended = [];
        _recent = [];
    }

    /// <summary>IsBehind: later epochs were published when this one was served.</summary>
    public bool IsBehind { get; }

    /// <summary>View of the trees.</summary>
    public DirectoryView View { get; }

    /// <summary>Epoch of the checkpoint's last record, whichever period the answers are about.</summary>
    public ulong Epoch { get; }

    /// <summary>TimeMs by which the answers are as old as they are, Unix milliseconds: of the record that they are about, or, if that is the last of an ended period, of the epoch.</summary>
    public ulong TimeMs { get; }

    /// <summary>Record that the answers are about, encoded: the checkpoint's last one, or the last of a period that has ended.</summary>
    public ReadOnlyMemory<byte> Record { get; }

    /// <summary>Checkpoint of the log up to the epoch, a signed note.</summary>
    public ReadOnlyMemory<byte> Checkpoint { get; }

    /// <summary>Period of the record.</summary>
    public ulong Period { get; }

    /// <summary>Bounds of the periods up to this epoch.</summary>
    public EpochBounds Bounds { get; }

    /// <summary>Heads of answers.</summary>
    public EpochHeads Heads { get; }

    /// <summary>Log at this epoch's checkpoint.</summary>
    public LogView Log { get; }

    /// <summary>Gives what answers about a period that has ended are made from, of which the caller takes a reference of its own; null: it is not here.</summary>
    public ServedEpoch? FindEnded(ulong period) => _ended.GetValueOrDefault(period);

    /// <summary>Does so with this epoch and those that were served before it and are kept.</summary>
    public ServedEpoch? FindRecent(ulong epoch) => epoch == Epoch ? this
        : _recent.TryGetValue(epoch, out RecentEpoch? before) ? _seen.GetOrAdd(epoch, _ => new ServedEpoch(this, before.View, before.Record, before.TimeMs)) : null;

    /// <summary>Gives the record's age at a time; negative when it is from the future. A time that no clock has is a very long one.</summary>
    public TimeSpan AgeAt(DateTimeOffset now) =>
        TimeSpan.FromSeconds(Math.Clamp((now.ToUnixTimeMilliseconds() - (double)TimeMs) / 1000, -MaxAgeSeconds, MaxAgeSeconds));

    /// <summary>Takes a reference; false when the epoch is superseded and nobody uses it any more.</summary>
    public bool TryAcquire() => View.TryAcquire();

    /// <summary>Gives back a reference of <see cref="TryAcquire"/>.</summary>
    public void Release() => View.Release();

    /// <summary>Gives back the maker's reference: the trees go when the last reader is done.</summary>
    public void Retire() => View.Dispose();
}
