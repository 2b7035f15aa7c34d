using System.Globalization;
using System.Runtime.InteropServices;

namespace Optiks;

/// <summary>
/// Names the steps of an update at which a fault test kills the process. <c>OPTIKS_FAIL_POINT=name</c> sends SIGKILL when the process
/// reaches the step; <c>name:3</c> sends it at the third time. A final <c>:stop</c> sends SIGSTOP instead, and the test decides when the
/// process continues. Without the variable, <see cref="Hit"/> compares one reference. docs/operations/fail-points.md says what each name
/// means.
/// </summary>
public static partial class FailPoints
{
    /// <summary>The variable that names a fail point.</summary>
    public const string Variable = "OPTIKS_FAIL_POINT";

    /// <summary>
    /// The database has the updates and assigns their sequence numbers. The update-service does not know yet whether the updates are
    /// durable.
    /// </summary>
    public const string Draw = "draw";

    /// <summary>Updates are durable, but their callers are not yet answered (update-service).</summary>
    public const string Accept = "accept";

    /// <summary>The log's key and trust anchor are saved, but the genesis record is not.</summary>
    public const string GenesisKey = "genesis-key";

    /// <summary>The next epoch's trees are built, but nothing is stored.</summary>
    public const string Apply = "apply";

    /// <summary>The epoch's transaction is committed.</summary>
    public const string Commit = "commit";

    /// <summary>The epoch's bundle is on the board's disk. The high-water mark still names the epoch before.</summary>
    public const string Bundle = "bundle";

    /// <summary>
    /// The values that the epoch erased are gone from the earlier bundles. The high-water mark still names the epoch before.
    /// </summary>
    public const string Erase = "erase";

    /// <summary>The high-water mark names the epoch, but nothing is signed.</summary>
    public const string HighWater = "high-water";

    /// <summary>The checkpoint is signed, but the note is not stored.</summary>
    public const string Sign = "sign";

    /// <summary>The note is in the database, but the board's files still show the epoch before.</summary>
    public const string Note = "note";

    /// <summary>The board's tiles are written, but not the audit proof.</summary>
    public const string Tiles = "tiles";

    /// <summary>The audit proof is written, but the board still has the checkpoint before.</summary>
    public const string Audit = "audit";

    /// <summary>
    /// The board's checkpoint is replaced, or the new checkpoint waits for witnesses. The database does not yet mark the epoch as
    /// published.
    /// </summary>
    public const string Checkpoint = "checkpoint";

    /// <summary>The epoch is published.</summary>
    public const string Publish = "publish";

    /// <summary>Enough witnesses have cosigned a waiting checkpoint, which exists only in memory.</summary>
    public const string Quorum = "quorum";

    /// <summary>A checkpoint that waited for witnesses is now on the board.</summary>
    public const string Release = "release";

    /// <summary>The next period's secrets are in the database, but nothing of the period is staged.</summary>
    public const string PeriodSecrets = "period-secrets";

    /// <summary>A chunk of the next period's copies is in the database, but in no bundle.</summary>
    public const string PeriodChunk = "period-chunk";

    /// <summary>All copies of the next period are staged and in bundles, but its first epoch is not made.</summary>
    public const string PeriodStaged = "period-staged";

    /// <summary>The first epoch of a period is committed, but not signed.</summary>
    public const string PeriodSwitch = "period-switch";

    /// <summary>
    /// The secrets of a period that is no longer served are deleted from the database, but the period's other data are not.
    /// </summary>
    public const string PeriodDestroying = "period-destroying";

    /// <summary>An auditor's state has one more verified range of epochs, or its first record.</summary>
    public const string AuditorRange = "auditor-range";

    /// <summary>
    /// All epochs of the checkpoint are verified and in an auditor's state, but the mark still names the checkpoint before.
    /// </summary>
    public const string AuditorVerified = "auditor-verified";

    /// <summary>An auditor's mark names the checkpoint, but nothing is signed.</summary>
    public const string AuditorMark = "auditor-mark";

    /// <summary>An auditor has cosigned the checkpoint, but only in memory.</summary>
    public const string AuditorSign = "auditor-sign";

    /// <summary>The checkpoint that an auditor cosigned is on disk, but not served.</summary>
    public const string AuditorSigned = "auditor-signed";

    /// <summary>An auditor's finding is on disk, but not reported.</summary>
    public const string AuditorFinding = "auditor-finding";

    /// <summary>The checkpoint that a witness is about to cosign is on disk, but not signed.</summary>
    public const string WitnessStore = "witness-store";

    /// <summary>A witness has made its cosignature, but has not sent it.</summary>
    public const string WitnessSign = "witness-sign";

    /// <summary>A bucket has stored one more object.</summary>
    public const string BucketObject = "bucket-object";

    /// <summary>A bucket has stored all objects of a checkpoint, but still has the checkpoint before.</summary>
    public const string BucketObjects = "bucket-objects";

    /// <summary>A bucket has the checkpoint, but still has partial tiles that are now full.</summary>
    public const string BucketCheckpoint = "bucket-checkpoint";

    /// <summary>A bucket that tasks share has the epoch's mark, but nothing is signed.</summary>
    public const string BucketMark = "bucket-mark";

    /// <summary>
    /// A rotation of the key-encryption key is ready to begin, or one more period's secrets are rewrapped in the database (<c>optiks-db kek
    /// rotate</c>).
    /// </summary>
    public const string KekPeriod = "kek-period";

    /// <summary>All periods' secrets are rewrapped, but not the log's key.</summary>
    public const string KekPeriods = "kek-periods";

    /// <summary>The log's key is rewrapped too, but the command has not reported it.</summary>
    public const string KekLogKey = "kek-log-key";

    /// <summary>The fail points of <c>optiks auditor</c>, in their order.</summary>
    public static readonly IReadOnlyList<string> OfAuditors = [AuditorRange, AuditorVerified, AuditorMark, AuditorSign, AuditorSigned, AuditorFinding];

    /// <summary>The fail points of <c>optiks witness</c>, in their order.</summary>
    public static readonly IReadOnlyList<string> OfWitnesses = [WitnessStore, WitnessSign];

    /// <summary>The fail points of <c>optiks-db kek rotate</c>, in their order.</summary>
    public static readonly IReadOnlyList<string> OfRotations = [KekPeriod, KekPeriods, KekLogKey];

    /// <summary>The fail points that a log reaches once a period, in their order.</summary>
    public static readonly IReadOnlyList<string> OfPeriods = [PeriodSecrets, PeriodChunk, PeriodStaged, PeriodSwitch, PeriodDestroying];

    /// <summary>
    /// The update-task's fail points that every log reaches, in the order of an update. Only a new log reaches the first of them.
    /// </summary>
    public static readonly IReadOnlyList<string> OfEpochs = [GenesisKey, Apply, Commit, Bundle, Erase, HighWater, Sign, Note, Tiles, Audit, Checkpoint, Publish];

    /// <summary>The fail points of a log that waits for its witnesses, in their order.</summary>
    public static readonly IReadOnlyList<string> OfQuorums = [Quorum, Release];

    /// <summary>
    /// The fail points of a board that is copied to a bucket, in their order. A task reaches <see cref="BucketMark"/> only if tasks share
    /// the bucket in place of a folder.
    /// </summary>
    public static readonly IReadOnlyList<string> OfBuckets = [BucketMark, BucketObject, BucketObjects, BucketCheckpoint];

    /// <summary>All names.</summary>
    public static readonly IReadOnlyList<string> All = [Draw, Accept, .. OfEpochs, .. OfQuorums, .. OfBuckets, .. OfPeriods, .. OfAuditors, .. OfWitnesses, .. OfRotations];

    // From signal.h of Linux; the values are the same on x86-64 and ARM64.
    private const int SIGKILL = 9;
    private const int SIGSTOP = 19;

    private static readonly Choice? s_choice = Parse(Environment.GetEnvironmentVariable(Variable));
    private static int s_remaining = s_choice?.Times ?? 0;

    /// <summary>
    /// Throws <see cref="StartupException"/> if the variable names no fail point, because a fault test that kills nothing must not pass. A
    /// host calls this method at its start.
    /// </summary>
    public static void EnsureValid()
    {
        string? text = Environment.GetEnvironmentVariable(Variable);
        if (!string.IsNullOrEmpty(text) && Parse(text) is null)
        {
            throw new StartupException(
                $"{Variable}={text} names no fail point; choose one of {string.Join(", ", All)}, optionally with a count such as {Publish}:3, and with :stop at the end.");
        }
    }

    /// <summary>Kills or stops the process if the variable names this fail point.</summary>
    /// <param name="name">One of the constants.</param>
    public static void Hit(string name)
    {
        if (s_choice is not null && string.Equals(s_choice.Name, name, StringComparison.Ordinal) && Interlocked.Decrement(ref s_remaining) == 0
            && kill(Environment.ProcessId, s_choice.Stop ? SIGSTOP : SIGKILL) != 0)
        {
            throw new InvalidOperationException($"kill failed: {Marshal.GetLastPInvokeErrorMessage()}");
        }
    }

    // Null means that the text names no fail point.
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

    /// <summary>Describes the chosen fail point, the visit that triggers it, and whether it sends SIGSTOP instead of SIGKILL.</summary>
    internal sealed record Choice(string Name, int Times, bool Stop);
}
