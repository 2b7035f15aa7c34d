using System.Diagnostics;
using System.Globalization;

namespace Optiks;

/// <summary>
/// FailPoints are the labelled places between an update's steps where a fault test has the process killed: <c>OPTIKS_FAIL_POINT=name</c> sends it
/// SIGKILL when it gets there, <c>name:3</c> when it gets there for the third time. Without the variable <see cref="Hit"/> compares one reference.
/// docs/operations/fail-points.md says what each name means.
/// </summary>
public static class FailPoints
{
    /// <summary>Variable that names a place.</summary>
    public const string Variable = "OPTIKS_FAIL_POINT";

    /// <summary>Updates are durable, their callers not yet answered (update-service).</summary>
    public const string Accept = "accept";

    /// <summary>The log's key and trust anchor are saved, the genesis record is not.</summary>
    public const string GenesisKey = "genesis-key";

    /// <summary>The next epoch's trees are built, nothing is stored.</summary>
    public const string Apply = "apply";

    /// <summary>The epoch's transaction is committed.</summary>
    public const string Commit = "commit";

    /// <summary>The epoch's bundle is on the board's disk, the high-water mark is the one before.</summary>
    public const string Bundle = "bundle";

    /// <summary>The high-water mark names the epoch, nothing is signed.</summary>
    public const string HighWater = "high-water";

    /// <summary>The checkpoint is signed, the note not stored.</summary>
    public const string Sign = "sign";

    /// <summary>The note is in the database, the board's files are those of the epoch before.</summary>
    public const string Note = "note";

    /// <summary>The tiles are written, the audit proof is not.</summary>
    public const string Tiles = "tiles";

    /// <summary>The audit proof is written, the checkpoint is the one before.</summary>
    public const string Audit = "audit";

    /// <summary>The board's checkpoint is replaced, the database does not call the epoch published.</summary>
    public const string Checkpoint = "checkpoint";

    /// <summary>The epoch is published.</summary>
    public const string Publish = "publish";

    /// <summary>All names, in the order in which an update gets to them.</summary>
    public static readonly IReadOnlyList<string> All =
        [Accept, GenesisKey, Apply, Commit, Bundle, HighWater, Sign, Note, Tiles, Audit, Checkpoint, Publish];

    private static readonly string? s_name;
    private static int s_remaining;

    static FailPoints()
    {
        if (TryParse(Environment.GetEnvironmentVariable(Variable), out string? name, out int times))
        {
            s_name = name;
            s_remaining = times;
        }
    }

    /// <summary>
    /// EnsureValid refuses a variable that names no place (<see cref="StartupException"/>): a fault test that kills nothing must not pass for one that does. A
    /// host calls it at its start.
    /// </summary>
    public static void EnsureValid()
    {
        string? text = Environment.GetEnvironmentVariable(Variable);
        if (!string.IsNullOrEmpty(text) && !TryParse(text, out _, out _))
        {
            throw new StartupException($"{Variable}={text} names no fail point; they are {string.Join(", ", All)}, each also with a count such as {Publish}:3.");
        }
    }

    /// <summary>Hit kills the process if this is the place.</summary>
    /// <param name="name">One of the constants: compared by reference first.</param>
    public static void Hit(string name)
    {
        if (s_name is not null && string.Equals(s_name, name, StringComparison.Ordinal) && Interlocked.Decrement(ref s_remaining) == 0)
        {
            using var self = Process.GetCurrentProcess();
            self.Kill();
            throw new UnreachableException("SIGKILL returned.");
        }
    }

    internal static bool TryParse(string? text, out string? name, out int times)
    {
        times = 1;
        string[] parts = (text ?? "").Split(':');
        name = All.FirstOrDefault(known => string.Equals(known, parts[0], StringComparison.Ordinal));
        return name is not null
            && (parts.Length == 1
                || (parts.Length == 2 && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out times) && times > 0));
    }
}
