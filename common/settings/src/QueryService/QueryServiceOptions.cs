using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.QueryService.Options;

/// <summary>Configures the query-service (<c>Optiks:QueryService</c>).</summary>
internal sealed class QueryServiceOptions
{
    public const string Section = "Optiks:QueryService";

    /// <summary>
    /// The name of this replica's folder below <c>replicas/</c>, which may have letters, digits, '-' and '_'. If the setting is empty, the
    /// name is the number of the port on which the service listens.
    /// </summary>
    [RegularExpression("[A-Za-z0-9_-]{0,64}")]
    public string Replica { get; set; } = "";

    /// <summary>The maximum size of the cache of VRF proofs in memory. The value 0 means no cache. Around a switch of the period there are
    /// two such caches.</summary>
    /// <value>The default is 64 MiB.</value>
    [Range(0, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long VrfCacheBytes { get; set; } = 64L << 20;

    /// <summary>
    /// The maximum size of the cache of the trees in stored mode. A value above 0 selects stored mode, for a machine with less memory than
    /// the trees need: the trees are in the replica's folder, and only this cache of them is in memory. The value 0 selects linked mode,
    /// with all trees in memory.
    /// </summary>
    /// <value>The default is 0.</value>
    [Range(0, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long NodeCacheBytes { get; set; }

    /// <summary>
    /// The number of epochs before the newest epoch about which clients may still ask (<c>?at_epoch</c>), so that the answers to several
    /// requests can be of the same epoch. For each of these epochs, the service keeps the later changes of the trees in memory.
    /// </summary>
    /// <value>The default is 8.</value>
    [Range(0, 256)]
    [Setting(Unit = "epochs")]
    public int RecentEpochs { get; set; } = 8;

    /// <summary>
    /// The interval at which the service saves its trees to a snapshot in the replica's folder, from which the next start loads them. The
    /// service also saves them at once if the folder has no snapshot, and in linked mode when it stops. In stored mode, the snapshots are
    /// for other replicas and for a change to linked mode. If the interval is zero, the service saves no snapshots.
    /// </summary>
    /// <value>The default is one hour.</value>
    [Range(typeof(TimeSpan), "00:00:00", "7.00:00:00")]
    public TimeSpan SnapshotInterval { get; set; } = TimeSpan.FromHours(1);

    /// <summary>
    /// The addresses of other replicas, such as <c>https://replica-2.example.org</c>, in order of preference. If the service starts without
    /// a usable snapshot or node store of its own, it downloads a snapshot from one of these replicas. If there are no addresses, such a
    /// start loads everything from the database.
    /// </summary>
    /// <value>The default is an empty list.</value>
    public string[] SnapshotPeers { get; set; } = [];

    /// <summary>The file, of mode 0600, with the API key that the service sends to the snapshot peers. The peers must accept this key with
    /// the scope <c>snapshot</c>.</summary>
    [Setting(File = SettingFile.Secret)]
    public string SnapshotPeerKeyFile { get; set; } = "";

    /// <summary>The maximum number of bytes that the service downloads from a snapshot peer, for snapshot and leaf log together.</summary>
    /// <value>The default is 64 GiB.</value>
    [Range(1, 1L << 48)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long SnapshotPeerMaxBytes { get; set; } = 64L << 30;

    /// <summary>
    /// The file with the log's auditors and witnesses, in the form of a tlog-policy (docs/operations/cosigners.md). It gives the URLs below
    /// which these cosigners serve their cosigned checkpoints. If the setting is empty, the service collects no cosignatures.
    /// </summary>
    /// <value>The default is empty.</value>
    [Setting(File = SettingFile.Policy)]
    public string CosignersFile { get; set; } = "";

    /// <summary>The interval at which the service asks each cosigner for cosignatures.</summary>
    /// <value>The default is 5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "01:00:00")]
    public TimeSpan CosignersInterval { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The maximum memory for answers that are being made or sent, and for the bodies of their requests. A single caller gets at most half
    /// of this memory.
    /// </summary>
    /// <value>The default is 256 MiB.</value>
    [Range(16L << 20, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long AnswerBytes { get; set; } = 256L << 20;

    /// <summary>The maximum size of the cache in memory of the board's files, if the service reads the board at a URL
    /// (<c>Optiks:Board:Url</c>).</summary>
    /// <value>The default is 64 MiB.</value>
    [Range(1L << 20, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long BoardCacheBytes { get; set; } = 64L << 20;

    /// <summary>
    /// The time for which the service continues to answer requests after it was told to stop, while <c>/health/ready</c> answers 503. It
    /// must be longer than a load balancer needs to notice the 503.
    /// </summary>
    /// <value>The default is one second.</value>
    [Range(typeof(TimeSpan), "00:00:00", "00:00:10")]
    public TimeSpan DrainTime { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Whether lookups need an API key with the scope <c>lookup</c>. If not, anyone may look up keys.</summary>
    /// <value>The default is false.</value>
    public bool RequireLookupScope { get; set; }

    /// <summary>
    /// Whether the VRF proofs for callers without an API key are always made anew and never cached. If they are, the time of an answer
    /// reveals nothing about other callers' requests (docs/spec/privacy.md). If they are not, a request about a recently requested key is
    /// answered faster.
    /// </summary>
    /// <value>The default is false.</value>
    public bool HideCacheFromAnonymous { get; set; }
}
