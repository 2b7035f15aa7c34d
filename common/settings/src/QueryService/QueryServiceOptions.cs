using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.QueryService.Options;

/// <summary>Configures the query-service (<c>Optiks:QueryService</c>).</summary>
internal sealed class QueryServiceOptions
{
    public const string Section = "Optiks:QueryService";

    /// <summary>
    /// The name of this process's folder below <c>replicas/</c>: letters, digits, '-' and '_'. Empty: the port that it listens on.
    /// </summary>
    [RegularExpression("[A-Za-z0-9_-]{0,64}")]
    public string Replica { get; set; } = "";

    /// <summary>The most memory for the cache of VRF proofs; around a switch of the period there are two caches. 0: no cache.</summary>
    /// <value>64 MiB.</value>
    [Range(0, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long VrfCacheBytes { get; set; } = 64L << 20;

    /// <summary>
    /// Above 0, selects stored mode, for a machine with less memory than the trees need. The trees are then in the replica's folder, and at
    /// most this much of them in memory. 0: linked mode, with all trees in memory.
    /// </summary>
    /// <value>0.</value>
    [Range(0, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long NodeCacheBytes { get; set; }

    /// <summary>
    /// The number of epochs before the newest one that clients may still ask about (<c>?at_epoch</c>), so that several requests get answers
    /// of one epoch. Each keeps the later changes of the trees in memory.
    /// </summary>
    /// <value>8.</value>
    [Range(0, 256)]
    [Setting(Unit = "epochs")]
    public int RecentEpochs { get; set; } = 8;

    /// <summary>
    /// The interval at which the trees are saved to the replica's folder, where the next start finds them. They are also saved at once if
    /// the folder has no snapshot, and when the service stops. Zero, and in stored mode: never.
    /// </summary>
    /// <value>One hour.</value>
    [Range(typeof(TimeSpan), "00:00:00", "7.00:00:00")]
    public TimeSpan SnapshotInterval { get; set; } = TimeSpan.FromHours(1);

    /// <summary>
    /// The addresses of other replicas, such as <c>https://replica-2.example.org</c>, in order of preference. A start without its own
    /// usable snapshot or node store downloads a snapshot from one of them. Only replicas in linked mode have one.
    /// </summary>
    /// <value>None: such a start loads everything from the database.</value>
    public string[] SnapshotPeers { get; set; } = [];

    /// <summary>The file, of mode 0600, with the API key with the scope <c>snapshot</c> that the peers accept.</summary>
    [Setting(File = SettingFile.Secret)]
    public string SnapshotPeerKeyFile { get; set; } = "";

    /// <summary>The most that is downloaded from a peer, snapshot and leaf log together.</summary>
    /// <value>64 GiB.</value>
    [Range(1, 1L << 48)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long SnapshotPeerMaxBytes { get; set; } = 64L << 30;

    /// <summary>
    /// The file that names the log's cosigners, both auditors and witnesses, in the form of a tlog-policy (docs/operations/cosigners.md).
    /// It gives the URLs below which they serve their cosigned checkpoints.
    /// </summary>
    /// <value>Empty: no cosignatures are collected.</value>
    [Setting(File = SettingFile.Policy)]
    public string CosignersFile { get; set; } = "";

    /// <summary>The interval at which each cosigner is asked.</summary>
    /// <value>5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "01:00:00")]
    public TimeSpan CosignersInterval { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The most memory for answers that are being made or sent, and for the bodies of their requests. One caller gets at most half of it.
    /// </summary>
    /// <value>256 MiB.</value>
    [Range(16L << 20, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long AnswerBytes { get; set; } = 256L << 20;

    /// <summary>The most memory for files of a board that is read at a URL (<c>Optiks:Board:Url</c>).</summary>
    /// <value>64 MiB.</value>
    [Range(1L << 20, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long BoardCacheBytes { get; set; } = 64L << 20;

    /// <summary>
    /// How long the service continues to answer after it was told to stop, while readiness reports 503. It must be longer than a load
    /// balancer takes to notice.
    /// </summary>
    /// <value>One second.</value>
    [Range(typeof(TimeSpan), "00:00:00", "00:00:10")]
    public TimeSpan DrainTime { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Whether lookups need an API key with the scope <c>lookup</c>.</summary>
    /// <value>false: anyone may look up.</value>
    public bool RequireLookupScope { get; set; }

    /// <summary>
    /// Whether the VRF proofs of callers without an API key are always made anew, and not cached. The time of an answer then reveals
    /// nothing about others' requests (docs/spec/privacy.md).
    /// </summary>
    /// <value>false: a recently requested key is answered faster.</value>
    public bool HideCacheFromAnonymous { get; set; }
}
