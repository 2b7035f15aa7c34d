using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.QueryService.Options;

/// <summary>QueryServiceOptions (<c>Optiks:QueryService</c>).</summary>
internal sealed class QueryServiceOptions
{
    public const string Section = "Optiks:QueryService";

    /// <summary>Replica names this process's folder below <c>replicas/</c>, letters, digits, '-' and '_'. Empty: the port that it listens on.</summary>
    [RegularExpression("[A-Za-z0-9_-]{0,64}")]
    public string Replica { get; set; } = "";

    /// <summary>VrfCacheBytes bounds the memory of the cache of VRF proofs, of which there are two around a switch of the period; 0: no cache.</summary>
    /// <value>64 MiB.</value>
    [Range(0, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long VrfCacheBytes { get; set; } = 64L << 20;

    /// <summary>
    /// NodeCacheBytes above 0 is stored mode, for a machine whose memory is smaller than the trees: they are in the replica's folder, and at most so much of them in memory. 0: linked mode, all in memory.
    /// </summary>
    /// <value>0.</value>
    [Range(0, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long NodeCacheBytes { get; set; }

    /// <summary>
    /// RecentEpochs that were served before the newest one may be asked about still (<c>?at_epoch</c>), so that several requests get answers of one epoch. Each keeps in memory what changed in the trees since.
    /// </summary>
    /// <value>8.</value>
    [Range(0, 256)]
    [Setting(Unit = "epochs")]
    public int RecentEpochs { get; set; } = 8;

    /// <summary>SnapshotInterval is how often the trees are saved to the replica's folder, from where the next start takes them; also at once when there is none, and when the service stops. Zero, and in stored mode: never.</summary>
    /// <value>One hour.</value>
    [Range(typeof(TimeSpan), "00:00:00", "7.00:00:00")]
    public TimeSpan SnapshotInterval { get; set; } = TimeSpan.FromHours(1);

    /// <summary>
    /// SnapshotPeers are the addresses of other replicas, such as <c>https://replica-2.example.org</c>, one of which a start without a usable snapshot or node store of its own takes theirs from, in this
    /// order. Those in linked mode have one.
    /// </summary>
    /// <value>None: such a start loads everything from the database.</value>
    public string[] SnapshotPeers { get; set; } = [];

    /// <summary>SnapshotPeerKeyFile is the file, of mode 0600, with the API key that the peers know, of the scope <c>snapshot</c>.</summary>
    [Setting(File = SettingFile.Secret)]
    public string SnapshotPeerKeyFile { get; set; } = "";

    /// <summary>SnapshotPeerMaxBytes bounds what is taken from a peer, snapshot and leaf log together.</summary>
    /// <value>64 GiB.</value>
    [Range(1, 1L << 48)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long SnapshotPeerMaxBytes { get; set; } = 64L << 30;

    /// <summary>CosignersFile names who cosigns the log, auditors and witnesses alike, in the form of a tlog-policy, with the URLs below which they serve what they cosigned (docs/operations/cosigners.md).</summary>
    /// <value>Empty: no cosignatures are collected.</value>
    [Setting(File = SettingFile.Policy)]
    public string CosignersFile { get; set; } = "";

    /// <summary>CosignersInterval is how often each of them is asked.</summary>
    /// <value>5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "01:00:00")]
    public TimeSpan CosignersInterval { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>AnswerBytes bounds the memory of answers that are being made or sent, and of the bodies that ask for them. One caller gets at most half of it.</summary>
    /// <value>256 MiB.</value>
    [Range(16L << 20, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long AnswerBytes { get; set; } = 256L << 20;

    /// <summary>BoardCacheBytes bounds the memory of files of a board that is read at a distance (<c>Optiks:Board:Url</c>).</summary>
    /// <value>64 MiB.</value>
    [Range(1L << 20, 1L << 40)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long BoardCacheBytes { get; set; } = 64L << 20;

    /// <summary>DrainTime is how long the service goes on answering after it was told to stop, while readiness says 503: longer than a load balancer takes to notice.</summary>
    /// <value>One second.</value>
    [Range(typeof(TimeSpan), "00:00:00", "00:00:10")]
    public TimeSpan DrainTime { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>RequireLookupScope closes lookups to callers without an API key of the scope <c>lookup</c>.</summary>
    /// <value>false: anyone may look up.</value>
    public bool RequireLookupScope { get; set; }

    /// <summary>
    /// HideCacheFromAnonymous makes the VRF proofs of callers without an API key anew each time, and remembers none: the time that an answer takes then tells them nothing of what others asked (docs/spec/privacy.md).
    /// </summary>
    /// <value>false: a key that was asked for lately is answered sooner.</value>
    public bool HideCacheFromAnonymous { get; set; }
}
