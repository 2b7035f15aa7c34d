using System.Globalization;
using System.Runtime.InteropServices;

namespace Optiks;

/// <summary>
/// FailPoints are the labelled steps of an update at which a fault test has the process killed: <c>OPTIKS_FAIL_POINT=name</c> sends it
/// SIGKILL when it gets there, <c>name:3</c> when it gets there for the third time; with <c>:stop</c> at the end it is SIGSTOP, and whoever set it decides when the process
/// goes on. Without the variable <see cref="Hit"/> compares one reference.
/// docs/operations/fail-points.md says what each name means.
/// </summary>
public static partial class FailPoints
{
    /// <summary>Variable that names a fail point.</summary>
    public const string Variable = "OPTIKS_FAIL_POINT";

    /// <summary>The database has the updates and gives them their numbers; whether they are durable is not known (update-service).</summary>
    public const string Draw = "draw";

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

    /// <summary>What the epoch erased is gone from the bundles before it, the high-water mark is the one before.</summary>
    public const string Erase = "erase";

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

    /// <summary>The board's checkpoint is replaced, or waits for witnesses; the database does not call the epoch published.</summary>
    public const string Checkpoint = "checkpoint";

    /// <summary>The epoch is published.</summary>
    public const string Publish = "publish";

    /// <summary>Enough witnesses have cosigned a checkpoint that waits for them, which is in memory alone.</summary>
    public const string Quorum = "quorum";

    /// <summary>A checkpoint that waited for witnesses is the board's.</summary>
    public const string Release = "release";

    /// <summary>The next period's secrets are in the database, nothing of it is staged.</summary>
    public const string PeriodSecrets = "period-secrets";

    /// <summary>A chunk of the next period's copies is in the database, and in no bundle.</summary>
    public const string PeriodChunk = "period-chunk";

    /// <summary>All copies of the next period are staged and in bundles, and its first epoch is not made.</summary>
    public const string PeriodStaged = "period-staged";

    /// <summary>The first epoch of a period is committed, and not signed.</summary>
    public const string PeriodSwitch = "period-switch";

    /// <summary>The secrets of a period that is not served any more are gone from the database, the rest of it is there.</summary>
    public const string PeriodDestroying = "period-destroying";

    /// <summary>An auditor's state has one more range of epochs, or its first record.</summary>
    public const string AuditorRange = "auditor-range";

    /// <summary>All epochs of the checkpoint are verified and in an auditor's state, the mark is the one before.</summary>
    public const string AuditorVerified = "auditor-verified";

    /// <summary>The mark names the checkpoint, nothing is signed.</summary>
    public const string AuditorMark = "auditor-mark";

    /// <summary>The checkpoint is cosigned, in memory.</summary>
    public const string AuditorSign = "auditor-sign";

    /// <summary>The cosigned checkpoint is on disk and not served.</summary>
    public const string AuditorSigned = "auditor-signed";

    /// <summary>An auditor's finding is on disk, nobody is told.</summary>
    public const string AuditorFinding = "auditor-finding";

    /// <summary>What a witness is about to cosign is on disk, nothing is signed.</summary>
    public const string WitnessStore = "witness-store";

    /// <summary>A witness has made its cosignature, and has not sent it.</summary>
    public const string WitnessSign = "witness-sign";

    /// <summary>One more object of a bucket is stored.</summary>
    public const string BucketObject = "bucket-object";

    /// <summary>All objects of a checkpoint are stored in a bucket, the checkpoint is the one before.</summary>
    public const string BucketObjects = "bucket-objects";

    /// <summary>A bucket has the checkpoint, and partial tiles that are full by now.</summary>
    public const string BucketCheckpoint = "bucket-checkpoint";

    /// <summary>A bucket that tasks share has the epoch's mark, nothing is signed.</summary>
    public const string BucketMark = "bucket-mark";

    /// <summary>Everything is ready for a rotation of the key-encryption key, or one more period's secrets are wrapped anew in the database (<c>optiks-db kek rotate</c>).</summary>
    public const string KekPeriod = "kek-period";

    /// <summary>All periods' secrets are wrapped anew, the log's key is not.</summary>
    public const string KekPeriods = "kek-periods";

    /// <summary>The log's key is wrapped anew as well; nobody is told.</summary>
    public const string KekLogKey = "kek-log-key";

    /// <summary>OfAuditors are those of <c>optiks auditor</c>, in their order.</summary>
    public static readonly IReadOnlyList<string> OfAuditors = [AuditorRange, AuditorVerified, AuditorMark, AuditorSign, AuditorSigned, AuditorFinding];

    /// <summary>OfWitnesses are those of <c>optiks witness</c>, in their order.</summary>
    public static readonly IReadOnlyList<string> OfWitnesses = [WitnessStore, WitnessSign];

    /// <summary>OfRotations are those of <c>optiks-db kek rotate</c>, in their order.</summary>
    public static readonly IReadOnlyList<string> OfRotations = [KekPeriod, KekPeriods, KekLogKey];

    /// <summary>OfPeriods are those that a log gets to once a period, in their order.</summary>
    public static readonly IReadOnlyList<string> OfPeriods = [PeriodSecrets, PeriodChunk, PeriodStaged, PeriodSwitch, PeriodDestroying];

    /// <summary>OfEpochs are those of the update-task that every log gets to, in the order in which an update does; the first is a new log's alone.</summary>
    public static readonly IReadOnlyList<string> OfEpochs = [GenesisKey, Apply, Commit, Bundle, Erase, HighWater, Sign, Note, Tiles, Audit, Checkpoint, Publish];

    /// <summary>OfQuorums are those of a log that waits for its witnesses, in their order.</summary>
    public static readonly IReadOnlyList<string> OfQuorums = [Quorum, Release];

    /// <summary>OfBuckets are those of a board that is copied to one, in their order; the first where tasks share it in place of a folder.</summary>
    public static readonly IReadOnlyList<string> OfBuckets = [BucketMark, BucketObject, BucketObjects, BucketCheckpoint];

    /// <summary>All names.</summary>
    public static readonly IReadOnlyList<string> All = [Draw, Accept, .. OfEpochs, .. OfQuorums, .. OfBuckets, .. OfPeriods, .. OfAuditors, .. OfWitnesses, .. OfRotations];

    // signal.h of Linux; of equal value on x86-64 and ARM64.
    private const int SIGKILL = 9;
    private const int SIGSTOP = 19;

    private static readonly Choice? s_choice = Parse(Environment.GetEnvironmentVariable(Variable));
    private static int s_remaining = s_choice?.Times ?? 0;

    /// <summary>
    /// EnsureValid refuses a variable that names no fail point (<see cref="StartupException"/>): a fault test that kills nothing must not pass for one that does. A
    /// host calls it at its start.
    /// </summary>
    public static void EnsureValid()
    {
        string? text = Environment.GetEnvironmentVariable(Variable);
        if (!string.IsNullOrEmpty(text) && Parse(text) is null)
        {
            throw new StartupException(
                $"{Variable}={text} names no fail point; they are {string.Join(", ", All)}, each also with a count such as {Publish}:3, and with :stop at the end.");
        }
    }

    /// <summary>Hit kills or stops the process if this is the fail point.</summary>
    /// <param name="name">One of the constants.</param>
    public static void Hit(string name)
    {
        if (s_choice is not null && string.Equals(s_choice.Name, name, StringComparison.Ordinal) && Interlocked.Decrement(ref s_remaining) == 0
            && kill(Environment.ProcessId, s_choice.Stop ? SIGSTOP : SIGKILL) != 0)
        {
            throw new InvalidOperationException($"kill failed: {Marshal.GetLastPInvokeErrorMessage()}");
        }
    }

    // Null: no fail point.
    internal static Choice? Parse(string? text)
    {
        string[] parts = (text ?? "").Split(':');
        string? name = All.FirstOrDefault(known => string.Equals(known, parts[0], StringComparison.Ordinal));
        bool stop = parts.Length > 1 && parts[^1] == "stop";
        string[] counts = parts[1..^(stop ? 1 : 0)];
        int times = 1;
        return name is null || counts.Length > 1
            || (counts.Length == 1 && !(int.TryParse(counts[0], NumberStyles.None, CultureInfo.InvariantCulture, out times) && times > 0))
            ? null
            : new Choice(name, times, stop);
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int kill(int process, int signal);

    /// <summary>Choice of a fail point, of the time there that counts, and of SIGSTOP instead of SIGKILL.</summary>
    internal sealed record Choice(string Name, int Times, bool Stop);
}
