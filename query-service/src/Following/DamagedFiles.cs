using Optiks.Native;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Following;

/// <summary>
/// Reports damage in this replica's own files to the follower, which makes the trees of the damaged period again. Thread-safe.
/// </summary>
/// <remarks>
/// A reader of trees that were replaced in the meantime may still meet the old damage. So a report counts only if the generation has not
/// changed since its reader began.
/// </remarks>
internal sealed class DamagedFiles
{
    private readonly Lock _lock = new();
    private readonly HashSet<ulong> _periods = [];
    private readonly ILogger<DamagedFiles> _logger;
    private long _generation;

    public DamagedFiles(ILogger<DamagedFiles> logger) => _logger = logger;

    /// <summary>The generation of the trees; a reader takes it before it acquires an epoch.</summary>
    public long Generation => Interlocked.Read(ref _generation);

    /// <summary>Whether trees wait to be made again.</summary>
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
    /// Returns whether an error means that the trees' files are damaged. A reader writes no files, so every I/O error means damage.
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

    /// <summary>Reports damage that an answer met, and creates the problem for that answer.</summary>
    public ProblemException Refuse(long generation, ulong period, OptiksNativeException e)
    {
        if (Report(generation, period))
        {
            _logger.FilesDamaged(period, e);
        }
        return CurrentEpoch.Unavailable("This replica cannot read files that the answer needs, and rebuilds them from the database: ask another replica.");
    }

    /// <summary>Returns the periods whose trees wait to be made again.</summary>
    public ulong[] Waiting()
    {
        lock (_lock)
        {
            return [.. _periods];
        }
    }

    /// <summary>Records that readers no longer get the damaged trees of a period, and begins a new generation.</summary>
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
