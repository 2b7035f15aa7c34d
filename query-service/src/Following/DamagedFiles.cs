using Optiks.Native;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Following;

/// <summary>
/// Reports damage in this replica's own files to the follower, which makes the trees of the damaged period again. Thread-safe.
/// </summary>
/// <remarks>
/// A reader may still find damage in old trees that have been replaced in the meantime. So this class ignores a report if the generation
/// has changed since the reader began.
/// </remarks>
internal sealed class DamagedFiles
{
    private readonly Lock _lock = new();
    private readonly HashSet<ulong> _periods = [];
    private readonly ILogger<DamagedFiles> _logger;
    private long _generation;

    public DamagedFiles(ILogger<DamagedFiles> logger) => _logger = logger;

    /// <summary>The current generation of the trees. A reader reads it before it acquires an epoch, and names it in a report.</summary>
    public long Generation => Interlocked.Read(ref _generation);

    /// <summary>Whether there are periods whose trees must be made again.</summary>
    public bool Any
    {
        get
        {
            lock (_lock)
            {
                return _periods.Count > 0;
            }
        }
    }

    /// <summary>
    /// Returns whether an error means that the trees' files are damaged. Readers do not write files, so every I/O error of a reader means
    /// damage.
    /// </summary>
    public static bool IsDamage(OptiksNativeException e) => e.Status is NativeStatus.Io or NativeStatus.Data;

    /// <summary>Reports that the trees of a period cannot be read. Returns true for the first report of this damage.</summary>
    public bool Report(long generation, ulong period)
    {
        lock (_lock)
        {
            return generation == _generation && _periods.Add(period);
        }
    }

    /// <summary>Reports damage that was found while making an answer, and creates the problem with which the service answers
    /// instead.</summary>
    public ProblemException Refuse(long generation, ulong period, OptiksNativeException e)
    {
        if (Report(generation, period))
        {
            _logger.FilesDamaged(period, e);
        }
        return CurrentEpoch.Unavailable(
            "This replica cannot read files that the answer needs, and rebuilds them from the database: ask another replica.");
    }

    /// <summary>Returns the periods whose trees must be made again.</summary>
    public ulong[] Waiting()
    {
        lock (_lock)
        {
            return [.. _periods];
        }
    }

    /// <summary>Records that readers no longer get a period's damaged trees, and begins a new generation.</summary>
    public void Replace(ulong period)
    {
        lock (_lock)
        {
            if (_periods.Remove(period))
            {
                Interlocked.Increment(ref _generation);
            }
        }
    }
}
