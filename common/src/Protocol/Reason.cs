// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>A verifier's verdict: 0 valid, 1 to 19 malformed, all others invalid (docs/spec/reasons.md).</summary>
public enum Reason
{
    /// <summary>Every check passed.</summary>
    Valid = 0,

    /// <summary>A field extends beyond the end of its container (docs/spec/encoding.md section 3).</summary>
    MalformedTruncated = 1,

    /// <summary>The length of a vector is outside its bounds, or is not a multiple of the element size.</summary>
    MalformedLength = 2,

    /// <summary>A discriminant, optional octet or reserved value is not one of the listed values.</summary>
    MalformedEnum = 3,

    /// <summary>Octets are left after the outermost structure.</summary>
    MalformedTrailing = 4,

    /// <summary>The VRF public key is not canonical, off the curve, the identity, or outside the subgroup.</summary>
    VrfKeyInvalid = 20,

    /// <summary>The point Gamma of a VRF proof does not decode strictly.</summary>
    VrfGammaMalformed = 21,

    /// <summary>The scalar s of a VRF proof is not below N.</summary>
    VrfScalarRange = 22,

    /// <summary>392*Gamma of a VRF proof is the identity.</summary>
    VrfGammaSmallOrder = 23,

    /// <summary>The recomputed challenge differs: the VRF proof is for another key, name or version, or is forged.</summary>
    VrfChallenge = 24,

    /// <summary>The number of siblings differs from the number of set bits in the mask.</summary>
    PathLength = 30,

    /// <summary>The path of a present leaf does not lead to the tree's root.</summary>
    MemberRoot = 31,

    /// <summary>A member is opened where it must be committed, or committed where it must be opened.</summary>
    MemberKind = 32,

    /// <summary>A value is longer than the configuration allows.</summary>
    ValueTooLong = 33,

    /// <summary>The proof claims that the tree is empty, but the tree is not empty.</summary>
    AbsentEmpty = 40,

    /// <summary>Bits beyond the length of the opened node's prefix are set.</summary>
    AbsentPadding = 41,

    /// <summary>The opened node's prefix is a prefix of the absent label, or the opened leaf has this label.</summary>
    AbsentCovers = 42,

    /// <summary>The path has an ancestor at or beyond the bit where the absent label leaves the tree.</summary>
    AbsentDepth = 43,

    /// <summary>The path of the opened node does not lead to the tree's root.</summary>
    AbsentRoot = 44,

    /// <summary>The answer claims more versions of a key than the period has epochs.</summary>
    VersionRange = 50,

    /// <summary>The answer's version is below the version that was already verified.</summary>
    VersionRegressed = 51,

    /// <summary>A proof of a version is missing, or the answer has an extra proof.</summary>
    LadderCount = 52,

    /// <summary>A leaf's epoch is after the record's epoch.</summary>
    LeafEpochFuture = 53,

    /// <summary>A leaf's epoch is before the period, or a leaf that cannot be a copy is marked as a copy.</summary>
    LeafEpochPeriod = 54,

    /// <summary>The leaf epochs of versions are closer together than one version in each epoch allows.</summary>
    LeafEpochOrder = 55,

    /// <summary>The list of versions starts at another version than the request asks for.</summary>
    HistoryFrom = 56,

    /// <summary>The number of answers differs from the number of keys or names in the request.</summary>
    AnswerCount = 57,

    /// <summary>The record's format is not the specified format.</summary>
    RecordFormat = 60,

    /// <summary>The record belongs to another log.</summary>
    RecordLogId = 61,

    /// <summary>The record's period and first epoch contradict each other or the previous record.</summary>
    RecordPeriod = 62,

    /// <summary>A count in the record contradicts the record's root or the previous record.</summary>
    RecordCount = 63,

    /// <summary>The hash that the record gives for the previous record is wrong.</summary>
    RecordPrevious = 64,

    /// <summary>The record's time is not later than the time of the previous record.</summary>
    RecordTime = 65,

    /// <summary>A VRF key changed where it must stay the same, or stayed the same where it must change.</summary>
    RecordVrfKey = 66,

    /// <summary>The record's epoch is not the epoch that the verifier requires.</summary>
    RecordEpoch = 67,

    /// <summary>The record's time is ahead of the clock by more than max_ahead.</summary>
    RecordFromFuture = 68,

    /// <summary>The record's time is behind the clock by more than max_behind.</summary>
    RecordTooOld = 69,

    /// <summary>The answer has no checkpoint, and the verifier keeps no checkpoint.</summary>
    CheckpointMissing = 80,

    /// <summary>The checkpoint is not a signed note of three lines.</summary>
    CheckpointMalformed = 81,

    /// <summary>The checkpoint's origin is not the log's origin.</summary>
    CheckpointOrigin = 82,

    /// <summary>The log did not sign the checkpoint.</summary>
    CheckpointSignature = 83,

    /// <summary>The answer does not prove that its checkpoint extends the kept checkpoint.</summary>
    CheckpointConsistency = 84,

    /// <summary>The record's epoch is outside the checkpoint's tree.</summary>
    InclusionIndex = 85,

    /// <summary>The answer does not prove that the record is in the log.</summary>
    InclusionProof = 86,

    /// <summary>The answer is older than an answer that was verified before, which is not evidence of a fault.</summary>
    Stale = 87,

    /// <summary>The log signed two different views (docs/spec/answers.md section 7): keep both, and stop (exit code 5).</summary>
    Fork = 88,

    /// <summary>Too few of the client's witnesses have cosigned a checkpoint that covers the record (docs/spec/cosigners.md section 3).</summary>
    WitnessQuorum = 89,

    /// <summary>The audit proof does not start at the auditor's record.</summary>
    AuditStart = 100,

    /// <summary>The range of the audit proof crosses a change of period.</summary>
    AuditCrossesSwitch = 101,

    /// <summary>The labels of the listed leaves do not strictly increase.</summary>
    AppendLeafOrder = 102,

    /// <summary>A listed leaf has an epoch outside the range.</summary>
    AppendLeafEpoch = 103,

    /// <summary>The number of listed leaves differs from the counts in the records.</summary>
    AppendLeafCount = 104,

    /// <summary>A token of the old tree has an unknown kind.</summary>
    AppendToken = 105,

    /// <summary>A prefix in the old tree is too short, or has bits beyond its length.</summary>
    AppendPrefix = 106,

    /// <summary>An opened leaf of the old tree is not below its parent.</summary>
    AppendPosition = 107,

    /// <summary>A listed label was already in the old tree.</summary>
    AppendExists = 108,

    /// <summary>The opened old tree ends inside a token.</summary>
    AppendTruncated = 109,

    /// <summary>Octets are left after the opened old tree.</summary>
    AppendTrailing = 110,

    /// <summary>The recomputed old root differs from the record's root.</summary>
    AppendOldRoot = 111,

    /// <summary>A recomputed new root differs from the record's root.</summary>
    AppendNewRoot = 112,

    /// <summary>A configuration or trust anchor is out of bounds.</summary>
    Configuration = 120,

    /// <summary>The records of parts are not in the order of their epochs, or an epoch appears twice.</summary>
    PartOrder = 130,

    /// <summary>The parts of an answer belong to different periods.</summary>
    PartPeriod = 131,

    /// <summary>An entry refers to a record that the answer does not have.</summary>
    PartUnknown = 132,

    /// <summary>No entry refers to a part's record.</summary>
    PartUnused = 133,

    /// <summary>A leaf's epoch is later than the epoch at which the answer shows the user.</summary>
    PartEpoch = 134,

    /// <summary>The name's entry, or the entry that marks the user as decommissioned, contradicts the kind of the answer.</summary>
    UserKind = 140,

    /// <summary>The answer leaves out the name's entry, but the verifier knows no user id for the name.</summary>
    UserNameMissing = 141,

    /// <summary>The name led to a different user before.</summary>
    UserChanged = 142,

    /// <summary>A user who had left for good is shown again.</summary>
    UserReturned = 143,

    /// <summary>A user id is empty or too long.</summary>
    UserIdLength = 144,

    /// <summary>The entry that marks a user as decommissioned has another value than 0x01.</summary>
    DecommissionValue = 145,

    /// <summary>The answer shows a user without a device list.</summary>
    DevicesMissing = 146,

    /// <summary>The ids of a device list are out of order, repeated, too long or too many.</summary>
    DeviceList = 147,

    /// <summary>The key of a device is missing, or the answer has an extra key.</summary>
    DeviceCount = 148,

    /// <summary>The answer does not show that each earlier user of the name has left, or shows one user too many.</summary>
    GenerationLeft = 149,

    /// <summary>The name led to its next user before its previous user had left.</summary>
    GenerationOrder = 150,

    /// <summary>The records are not those of the first and last epochs of successive periods.</summary>
    PeriodBounds = 160,

    /// <summary>The answer's period does not follow the ended period, or does not begin right after its last epoch.</summary>
    HandoverPeriod = 161,

    /// <summary>The period begins with a copy of a key that had no version at the end of the previous period.</summary>
    HandoverUnset = 162,

    /// <summary>The period begins without a copy of a key that had a version at the end of the previous period.</summary>
    HandoverMissing = 163,

    /// <summary>The copy of a key has another value than the key had at the end of the previous period.</summary>
    HandoverValue = 164,

    /// <summary>The log does not vouch for the receipt keys (docs/spec/receipts.md section 2).</summary>
    ReceiptVoucher = 170,

    /// <summary>The receipt is not a note in the form of a receipt.</summary>
    ReceiptMalformed = 171,

    /// <summary>The receipt belongs to another log.</summary>
    ReceiptLog = 172,

    /// <summary>The receipt is not signed by a key that the log vouches for at the receipt's time.</summary>
    ReceiptKey = 173,

    /// <summary>The receipt's signature does not verify.</summary>
    ReceiptSignature = 174,

    /// <summary>The receipt is for another request, key or value.</summary>
    ReceiptRequest = 175,

    /// <summary>The receipt's time does not fit the clock, or the records around the receipt's epochs (docs/spec/receipts.md sections 4 and 6).</summary>
    ReceiptTime = 176,

    /// <summary>A version with the promised value was published in time (docs/spec/receipts.md section 6).</summary>
    PromiseKept = 180,

    /// <summary>The answers do not show all versions of the promised epochs.</summary>
    PromiseUncovered = 181,

    /// <summary>A version of the promised epochs was erased, and it may be the promised version.</summary>
    PromiseErased = 182,

    /// <summary>It is proven that no version with the promised value was published in time.</summary>
    PromiseBroken = 183,

    /// <summary>The statements are about different leaves: another structure, key, version or period (docs/spec/broken-append.md).</summary>
    LeafUnrelated = 190,

    /// <summary>The two statements about a leaf can both be true of one tree that only grows.</summary>
    LeafAgrees = 191,

    /// <summary>No tree that only grows shows both statements about a leaf, and it is proven that the log signed both (exit code 5).</summary>
    LeafContradicts = 192,
}
