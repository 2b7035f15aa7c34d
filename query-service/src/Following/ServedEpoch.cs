using Optiks.Native;
using Optiks.QueryService.Answers;
using Optiks.Storage.Replay;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// ServedEpoch is everything that an answer is made from: trees and heads of one epoch together, so that nothing of two epochs is ever mixed. Immutable, any thread, counted by its
/// view: whoever got it from <see cref="CurrentEpoch.Acquire"/> gives it back with <see cref="Release"/>.
/// </summary>
internal sealed class ServedEpoch
{
    private const double MaxAgeSeconds = 1e10;

    public ServedEpoch(DirectoryView view, VerifiedEpoch epoch, ITileReader board)
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
    }

    /// <summary>IsBehind: later epochs were published when this one was served.</summary>
    public bool IsBehind { get; init; }

    /// <summary>View of the trees.</summary>
    public DirectoryView View { get; }

    public ulong Epoch { get; }

    /// <summary>TimeMs of the record, Unix milliseconds.</summary>
    public ulong TimeMs { get; }

    /// <summary>Record, encoded.</summary>
    public ReadOnlyMemory<byte> Record { get; }

    /// <summary>Checkpoint whose last entry the record is, a signed note.</summary>
    public ReadOnlyMemory<byte> Checkpoint { get; }

    /// <summary>Period of the epoch.</summary>
    public ulong Period { get; }

    /// <summary>Bounds of the periods up to this epoch.</summary>
    public EpochBounds Bounds { get; }

    /// <summary>Heads of answers.</summary>
    public EpochHeads Heads { get; }

    /// <summary>Log at this epoch's checkpoint.</summary>
    public LogView Log { get; }

    /// <summary>AgeAt gives the record's age at a time; negative when it is from the future. A time that no clock has is a very long one.</summary>
    public TimeSpan AgeAt(DateTimeOffset now) =>
        TimeSpan.FromSeconds(Math.Clamp((now.ToUnixTimeMilliseconds() - (double)TimeMs) / 1000, -MaxAgeSeconds, MaxAgeSeconds));

    /// <summary>TryAcquire takes a reference; false when the epoch is superseded and nobody uses it any more.</summary>
    public bool TryAcquire() => View.TryAcquire();

    /// <summary>Release gives back a reference of <see cref="TryAcquire"/>.</summary>
    public void Release() => View.Release();

    /// <summary>Retire gives back the maker's reference: the trees go when the last reader is done.</summary>
    public void Retire() => View.Dispose();
}
