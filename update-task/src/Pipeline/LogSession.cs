using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>LogSession is the log in memory during one lease: trees, last record, board. One thread at a time.</summary>
internal sealed class LogSession : IDisposable
{
    public required LogIdentity Identity { get; init; }

    public required KeyDirectory Directory { get; init; }

    public required BoardWriter Board { get; init; }

    public required BoardState State { get; init; }

    public required PeriodRow Period { get; init; }

    /// <summary>Last committed epoch; the directory is at it.</summary>
    public required EpochRow Last { get; set; }

    /// <summary>Unfinished is the last epoch while it is not published.</summary>
    public required MadeEpoch? Unfinished { get; set; }

    public ulong LastTimeMs => EpochRecord.Decode(Last.Record.Span).TimeMs;

    public void Dispose()
    {
        Directory.Dispose();
        Identity.Dispose();
    }
}
