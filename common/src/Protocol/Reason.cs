// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>A verifier's verdict: 0 valid, 1 to 19 malformed, all others invalid (docs/spec/reasons.md).</summary>
public enum Reason
{
    /// <summary>Every check passed.</summary>
    Valid = 0,

    /// <summary>A field goes beyond the end of its container (docs/spec/encoding.md section 3).</summary>
    MalformedTruncated = 1,

    /// <summary>A vector is shorter or longer than its bounds, or not a multiple of its element.</summary>
    MalformedLength = 2,

    /// <summary>A discriminant, optional octet or reserved value is not one of those listed.</summary>
    MalformedEnum = 3,

    /// <summary>Octets are left after the outermost structure.</summary>
    MalformedTrailing = 4,

    /// <summary>VRF public key not canonical, off the curve, the identity, or outside the subgroup.</summary>
    VrfKeyInvalid = 20,

    /// <summary>Gamma does not decode strictly.</summary>
    VrfGammaMalformed = 21,

    /// <summary>S is not below N.</summary>
    VrfScalarRange = 22,

    /// <summary>392*Gamma is the identity.</summary>
    VrfGammaSmallOrder = 23,

    /// <summary>The challenge differs: another key, name, version, or a forged proof.</summary>
    VrfChallenge = 24,

    /// <summary>Siblings and mask disagree in number.</summary>
    PathLength = 30,

    /// <summary>The leaf's path does not reach the root.</summary>
    MemberRoot = 31,

    /// <summary>Opened where committed is required, or the reverse.</summary>
    MemberKind = 32,

    /// <summary>The value is longer than the configuration allows.</summary>
    ValueTooLong = 33,

    /// <summary>Claimed empty tree is not.</summary>
    AbsentEmpty = 40,

    /// <summary>Bits beyond the opened prefix.</summary>
    AbsentPadding = 41,

    /// <summary>The opened node's prefix is a prefix of the label, or the leaf is the label's.</summary>
    AbsentCovers = 42,

    /// <summary>An ancestor at or beyond the divergence.</summary>
    AbsentDepth = 43,

    /// <summary>The opened node's path does not reach the root.</summary>
    AbsentRoot = 44,

    /// <summary>More versions than epochs.</summary>
    VersionRange = 50,

    /// <summary>Below the version already verified.</summary>
    VersionRegressed = 51,

    /// <summary>A proof is missing or extra.</summary>
    LadderCount = 52,

    /// <summary>Leaf from after the record.</summary>
    LeafEpochFuture = 53,

    /// <summary>Leaf from before the period, or a misplaced copy mark.</summary>
    LeafEpochPeriod = 54,

    /// <summary>Versions closer together than one an epoch.</summary>
    LeafEpochOrder = 55,

    /// <summary>Starts at another version than asked.</summary>
    HistoryFrom = 56,

    /// <summary>Other number of answers than keys.</summary>
    AnswerCount = 57,

    /// <summary>The record has another format.</summary>
    RecordFormat = 60,

    /// <summary>Another log.</summary>
    RecordLogId = 61,

    /// <summary>Period and first epoch of the record contradict each other or the record before.</summary>
    RecordPeriod = 62,

    /// <summary>A count contradicts its root or the record before.</summary>
    RecordCount = 63,

    /// <summary>Hash of the record before differs.</summary>
    RecordPrevious = 64,

    /// <summary>Time does not increase.</summary>
    RecordTime = 65,

    /// <summary>A VRF key changed where it must not, or the reverse.</summary>
    RecordVrfKey = 66,

    /// <summary>Not the next epoch.</summary>
    RecordEpoch = 67,

    /// <summary>Beyond max_ahead of the clock.</summary>
    RecordFromFuture = 68,

    /// <summary>Beyond max_behind of the clock.</summary>
    RecordTooOld = 69,

    /// <summary>No checkpoint came and none is kept.</summary>
    CheckpointMissing = 80,

    /// <summary>The checkpoint is not a note of three lines.</summary>
    CheckpointMalformed = 81,

    /// <summary>The checkpoint is of another origin.</summary>
    CheckpointOrigin = 82,

    /// <summary>The log did not sign the checkpoint.</summary>
    CheckpointSignature = 83,

    /// <summary>Not an extension of the checkpoint kept.</summary>
    CheckpointConsistency = 84,

    /// <summary>Epoch outside the checkpoint's tree.</summary>
    InclusionIndex = 85,

    /// <summary>The record is not in the log.</summary>
    InclusionProof = 86,

    /// <summary>Older than what was verified before; not evidence.</summary>
    Stale = 87,

    /// <summary>Two signed views that differ (docs/spec/answers.md section 7): keep both, stop (exit code 5).</summary>
    Fork = 88,

    /// <summary>Too few of the client's witnesses have cosigned what covers the record (docs/spec/cosigners.md section 3).</summary>
    WitnessQuorum = 89,

    /// <summary>Does not start at the auditor's record.</summary>
    AuditStart = 100,

    /// <summary>The range crosses a change of period.</summary>
    AuditCrossesSwitch = 101,

    /// <summary>Leaves not strictly increasing.</summary>
    AppendLeafOrder = 102,

    /// <summary>Leaf outside the range.</summary>
    AppendLeafEpoch = 103,

    /// <summary>Listed leaves and counts differ.</summary>
    AppendLeafCount = 104,

    /// <summary>The token is not one of those listed.</summary>
    AppendToken = 105,

    /// <summary>The prefix is too short or has bits beyond its length.</summary>
    AppendPrefix = 106,

    /// <summary>Opened leaf not below its parent.</summary>
    AppendPosition = 107,

    /// <summary>A listed label was there before.</summary>
    AppendExists = 108,

    /// <summary>The opened tree ends inside a token.</summary>
    AppendTruncated = 109,

    /// <summary>Octets are left after the opened tree.</summary>
    AppendTrailing = 110,

    /// <summary>The old root recomputed is another.</summary>
    AppendOldRoot = 111,

    /// <summary>A new root recomputed is another.</summary>
    AppendNewRoot = 112,

    /// <summary>Configuration or trust anchor out of bounds.</summary>
    Configuration = 120,

    /// <summary>Records of parts not by epoch, or one twice.</summary>
    PartOrder = 130,

    /// <summary>Parts of different periods.</summary>
    PartPeriod = 131,

    /// <summary>An entry refers to a record that is not there.</summary>
    PartUnknown = 132,

    /// <summary>No entry refers to a part's record.</summary>
    PartUnused = 133,

    /// <summary>A leaf from after the epoch for which the whole is an answer.</summary>
    PartEpoch = 134,

    /// <summary>Name or decommission contradict what the answer says to be.</summary>
    UserKind = 140,

    /// <summary>The name's entry is left out and no user id is known.</summary>
    UserNameMissing = 141,

    /// <summary>The name led to another user before.</summary>
    UserChanged = 142,

    /// <summary>The user had left for good.</summary>
    UserReturned = 143,

    /// <summary>A user id is empty or too long.</summary>
    UserIdLength = 144,

    /// <summary>The entry of a user who left says something else.</summary>
    DecommissionValue = 145,

    /// <summary>A user without a list of devices.</summary>
    DevicesMissing = 146,

    /// <summary>Ids of devices not in order, twice, too long or too many.</summary>
    DeviceList = 147,

    /// <summary>A device's key is missing or extra.</summary>
    DeviceCount = 148,

    /// <summary>That an earlier user of the name has left is not shown, or shown of one too many.</summary>
    GenerationLeft = 149,

    /// <summary>The name led to the next user before the one before it had left.</summary>
    GenerationOrder = 150,

    /// <summary>Records that are not those of the first and last epochs of successive periods.</summary>
    PeriodBounds = 160,

    /// <summary>Not the period after the one that ended, or not the epoch after its last.</summary>
    HandoverPeriod = 161,

    /// <summary>A copy of a key that had no version when its period ended.</summary>
    HandoverUnset = 162,

    /// <summary>No copy of a key that had a version when its period ended.</summary>
    HandoverMissing = 163,

    /// <summary>A copy with another value than the latest when the period ended.</summary>
    HandoverValue = 164,

    /// <summary>The log does not vouch for receipt keys (docs/spec/receipts.md section 2).</summary>
    ReceiptVoucher = 170,

    /// <summary>The receipt is not a note in its form.</summary>
    ReceiptMalformed = 171,

    /// <summary>The receipt is of another log.</summary>
    ReceiptLog = 172,

    /// <summary>The receipt is not by a key that the log vouches for at its time.</summary>
    ReceiptKey = 173,

    /// <summary>The receipt's signature does not verify.</summary>
    ReceiptSignature = 174,

    /// <summary>The receipt is of another request, key or value.</summary>
    ReceiptRequest = 175,

    /// <summary>The receipt's time does not fit the clock, or the records around its epochs (docs/spec/receipts.md sections 4 and 6).</summary>
    ReceiptTime = 176,

    /// <summary>A version with the promised value was published in time (docs/spec/receipts.md section 6).</summary>
    PromiseKept = 180,

    /// <summary>The answers do not show all versions of the promised epochs.</summary>
    PromiseUncovered = 181,

    /// <summary>A version of the promised epochs was erased: it may be the promised one.</summary>
    PromiseErased = 182,

    /// <summary>No version with the promised value was published in time: this is proven.</summary>
    PromiseBroken = 183,

    /// <summary>Statements of different leaves: another structure, key, version or period (docs/spec/broken-append.md).</summary>
    LeafUnrelated = 190,

    /// <summary>Both statements can be true of one tree that only grows.</summary>
    LeafAgrees = 191,

    /// <summary>No tree that only grows can show both statements: the log signed both, and this is proven (exit code 5).</summary>
    LeafContradicts = 192,
}
