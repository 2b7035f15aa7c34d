using System.Globalization;
using System.Runtime.InteropServices;

namespace Optiks;

/// <summary>
/// Names the steps of programs at which a fault test kills the process (docs/operations/fail-points.md). With
/// <c>OPTIKS_FAIL_POINT=name</c>, the process sends itself SIGKILL when it reaches the step; with <c>name:3</c>, it does so when it reaches
/// the step for the third time. With a final <c>:stop</c>, it sends SIGSTOP instead, and the test decides when the process continues. If
/// the variable is not set, <see cref="Hit"/> only compares one reference.
/// </summary>
public static partial class FailPoints
{
    /// <summary>The environment variable that names a fail point.</summary>
    public const string Variable = "OPTIKS_FAIL_POINT";

    /// <summary>
    /// The database has received the updates and assigns their sequence numbers. The update-service does not know yet whether the updates
    /// are durable.
    /// </summary>
    public const string Draw = "draw";

    /// <summary>The updates are durable, but the update-service has not yet answered the callers.</summary>
    public const string Accept = "accept";

    /// <summary>The log's key and trust anchor are saved, but the record of epoch 0 is not.</summary>
    public const string GenesisKey = "genesis-key";

    /// <summary>The next epoch's trees are built, but nothing of the epoch is stored.</summary>
    public const string Apply = "apply";

    /// <summary>The epoch's database transaction is committed, but nothing else of the epoch is stored.</summary>
    public const string Commit = "commit";

    /// <summary>The epoch bundle is on the disk. The high-water mark still names the previous epoch.</summary>
    public const string Bundle = "bundle";

    /// <summary>
    /// The values that the epoch erases are gone from earlier epoch bundles. The high-water mark still names the previous epoch.
    /// </summary>
    public const string Erase = "erase";

    /// <summary>The high-water mark names the epoch, but the epoch's checkpoint is not signed.</summary>
    public const string HighWater = "high-water";

    /// <summary>The epoch's checkpoint is signed, but the signed note is not stored.</summary>
    public const string Sign = "sign";

    /// <summary>The signed checkpoint is in the database, but the board's files still show the previous epoch.</summary>
    public const string Note = "note";

    /// <summary>The board's tiles for the epoch are written, but the audit proof is not.</summary>
    public const string Tiles = "tiles";

    /// <summary>The epoch's audit proof is written, but the board still has the checkpoint of the previous epoch.</summary>
    public const string Audit = "audit";

    /// <summary>
    /// The board's checkpoint is replaced, or the new checkpoint waits for witnesses. The database does not yet mark the epoch as
    /// published.
    /// </summary>
    public const string Checkpoint = "checkpoint";

    /// <summary>The database marks the epoch as published.</summary>
    public const string Publish = "publish";

    /// <summary>Enough witnesses have cosigned a waiting checkpoint, which exists only in memory.</summary>
    public const string Quorum = "quorum";

    /// <summary>A checkpoint that waited for witnesses is now on the board.</summary>
    public const string Release = "release";

    /// <summary>The next period's secrets are in the database, but no copies of the period are staged.</summary>
    public const string PeriodSecrets = "period-secrets";

    /// <summary>A chunk of the next period's copies is in the database, but not in an epoch bundle.</summary>
    public const string PeriodChunk = "period-chunk";

    /// <summary>All copies of the next period are staged and in epoch bundles, but the period's first epoch is not made.</summary>
    public const string PeriodStaged = "period-staged";

    /// <summary>The first epoch of a period is committed, but its checkpoint is not signed.</summary>
    public const string PeriodSwitch = "period-switch";

    /// <summary>
    /// The secrets of a period that is no longer served are deleted from the database, but the period's other data are still there.
    /// </summary>
    public const string PeriodDestroying = "period-destroying";

    /// <summary>An auditor's state has one more verified range of epochs, or the first record of the auditor's coverage.</summary>
    public const string AuditorRange = "auditor-range";

    /// <summary>
    /// An auditor has verified all epochs of a checkpoint and stored this in its state, but its mark still names an earlier checkpoint.
    /// </summary>
    public const string AuditorVerified = "auditor-verified";

    /// <summary>An auditor's mark names the checkpoint, but the auditor has not cosigned it.</summary>
    public const string AuditorMark = "auditor-mark";

    /// <summary>An auditor has cosigned the checkpoint, but the cosignature is only in memory.</summary>
    public const string AuditorSign = "auditor-sign";

    /// <summary>The checkpoint that an auditor cosigned is on disk, but the auditor does not serve it yet.</summary>
    public const string AuditorSigned = "auditor-signed";

    /// <summary>An auditor's finding is on disk, but the auditor has not reported it.</summary>
    public const string AuditorFinding = "auditor-finding";

    /// <summary>The checkpoint that a witness is about to cosign is on disk, but the witness has not cosigned it.</summary>
    public const string WitnessStore = "witness-store";

    /// <summary>A witness has made its cosignature, but has not sent it.</summary>
    public const string WitnessSign = "witness-sign";

    /// <summary>The bucket has stored one more object of the board.</summary>
    public const string BucketObject = "bucket-object";

    /// <summary>The bucket has stored all objects of a checkpoint, but still has the previous checkpoint.</summary>
    public const string BucketObjects = "bucket-objects";

    /// <summary>The bucket has the new checkpoint, but still has partial tiles that are replaced by full tiles.</summary>
    public const string BucketCheckpoint = "bucket-checkpoint";

    /// <summary>A bucket that several tasks share has the high-water mark of the epoch, but the epoch's checkpoint is not signed.</summary>
    public const string BucketMark = "bucket-mark";

    /// <summary>
    /// A rotation of the key-encryption key is ready to begin, or one more period's secrets are rewrapped in the database (<c>optiks-db kek
    /// rotate</c>).
    /// </summary>
    public const string KekPeriod = "kek-period";

    /// <summary>The secrets of all periods are rewrapped, but the log's key is not.</summary>
    public const string KekPeriods = "kek-periods";

    /// <summary>The log's key is rewrapped too, but the command has not yet reported the end of the rotation.</summary>
    public const string KekLogKey = "kek-log-key";

    /// <summary>The fail points of <c>optiks auditor</c>, in their order.</summary>
    public static readonly IReadOnlyList<string> OfAuditors = [AuditorRange, AuditorVerified, AuditorMark, AuditorSign, AuditorSigned,
        AuditorFinding];

    /// <summary>The fail points of <c>optiks witness</c>, in their order.</summary>
    public static readonly IReadOnlyList<string> OfWitnesses = [WitnessStore, WitnessSign];

    /// <summary>The fail points of <c>optiks-db kek rotate</c>, in their order.</summary>
    public static readonly IReadOnlyList<string> OfRotations = [KekPeriod, KekPeriods, KekLogKey];

    /// <summary>The fail points that a log reaches once in each period, in their order.</summary>
    public static readonly IReadOnlyList<string> OfPeriods = [PeriodSecrets, PeriodChunk, PeriodStaged, PeriodSwitch, PeriodDestroying];

    /// <summary>
    /// The update-task's fail points that every log reaches, in the order in which an epoch reaches them. Only a new log reaches the first
    /// of them.
    /// </summary>
    public static readonly IReadOnlyList<string> OfEpochs = [GenesisKey, Apply, Commit, Bundle, Erase, HighWater, Sign, Note, Tiles, Audit,
        Checkpoint, Publish];

    /// <summary>The fail points of a log whose checkpoints wait for witnesses, in their order.</summary>
    public static readonly IReadOnlyList<string> OfQuorums = [Quorum, Release];

    /// <summary>
    /// The fail points of a log whose board is copied to a bucket, in their order. A task reaches <see cref="BucketMark"/> only if several
    /// tasks share the bucket in place of a folder.
    /// </summary>
    public static readonly IReadOnlyList<string> OfBuckets = [BucketMark, BucketObject, BucketObjects, BucketCheckpoint];

    /// <summary>The names of all fail points.</summary>
    public static readonly IReadOnlyList<string> All = [Draw, Accept, .. OfEpochs, .. OfQuorums, .. OfBuckets, .. OfPeriods, .. OfAuditors,
        .. OfWitnesses, .. OfRotations];

    // These numbers are from signal.h of Linux and are the same on x86-64 and ARM64.
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

    /// <summary>Kills or stops the process if the environment variable names this fail point.</summary>
    /// <param name="name">The name of the fail point, which is one of the constants of this class.</param>
    public static void Hit(string name)
    {
        if (s_choice is not null && string.Equals(s_choice.Name, name, StringComparison.Ordinal)
            && Interlocked.Decrement(ref s_remaining) == 0
            && kill(Environment.ProcessId, s_choice.Stop ? SIGSTOP : SIGKILL) != 0)
        {
            throw new InvalidOperationException($"kill failed: {Marshal.GetLastPInvokeErrorMessage()}");
        }
    }

    // Returns the fail point that a text names, or null if the text names none.
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

    /// <summary>Describes the chosen fail point: its name, at which of the process's visits it acts, and whether it sends SIGSTOP instead
    /// of SIGKILL.</summary>
    internal sealed record Choice(string Name, int Times, bool Stop);
}
