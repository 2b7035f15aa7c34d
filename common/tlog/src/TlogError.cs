namespace Optiks.Tlog;

/// <summary>
/// Says why bytes were refused. Names and numbers are stable: clients report them and tests cite them. <see cref="None"/> is the only
/// success.
/// </summary>
public enum TlogError
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>The input is longer than this library's cap for its kind.</summary>
    TooLarge = 1,

    /// <summary>The input is not UTF-8.</summary>
    NotUtf8 = 2,

    /// <summary>A character below U+0020 other than the newline (this includes CR and TAB).</summary>
    ControlCharacter = 3,

    /// <summary>The last byte is not a newline.</summary>
    MissingFinalNewline = 4,

    /// <summary>No empty line where the format requires one.</summary>
    MissingBlankLine = 5,

    /// <summary>A note without signature lines.</summary>
    NoSignatures = 6,

    /// <summary>More signature lines than <see cref="SignedNote.MaxSignatures"/>.</summary>
    TooManySignatures = 7,

    /// <summary>A signature line that is not "— name base64".</summary>
    MalformedSignatureLine = 8,

    /// <summary>A key name that is empty or contains a Unicode space or '+'.</summary>
    BadKeyName = 9,

    /// <summary>Not canonical, padded base64 of the standard alphabet.</summary>
    BadBase64 = 10,

    /// <summary>A signature blob without a byte after the key ID.</summary>
    SignatureTooShort = 11,

    /// <summary>No signature by a known key.</summary>
    NoKnownSignature = 20,

    /// <summary>A signature whose name and key ID are a known key's, but which does not verify.</summary>
    BadSignature = 21,

    /// <summary>A cosignature's timestamp is 2^63 or more.</summary>
    BadTimestamp = 22,

    /// <summary>The note is signed by known keys, but not by the log.</summary>
    NoLogSignature = 23,

    /// <summary>A second signature line of a key of type 0x01, which must sign a text once.</summary>
    RepeatedSignature = 24,

    /// <summary>A verifier key that is not "name+hex+base64" in exact form.</summary>
    MalformedKey = 30,

    /// <summary>A verifier key whose key ID is not the hash of its name, type and key.</summary>
    KeyIdMismatch = 31,

    /// <summary>A verifier key of a type other than 0x01 and 0x04.</summary>
    UnsupportedKeyType = 32,

    /// <summary>A checkpoint of fewer than three lines.</summary>
    TooFewLines = 40,

    /// <summary>An empty origin line.</summary>
    EmptyOrigin = 41,

    /// <summary>The origin of another log.</summary>
    OriginMismatch = 42,

    /// <summary>A size that is not a canonical decimal of 64 bits.</summary>
    BadSize = 43,

    /// <summary>A root that is not base64 of 32 bytes.</summary>
    BadRoot = 44,

    /// <summary>An empty extension line.</summary>
    EmptyExtensionLine = 45,

    /// <summary>A valid extension line, which this verifier was told to refuse.</summary>
    ExtensionLineRefused = 46,

    /// <summary>A root of size 0 that is not the empty tree's.</summary>
    BadEmptyRoot = 47,

    /// <summary>A checkpoint of size 0, which no Optiks log publishes.</summary>
    EmptyTree = 48,

    /// <summary>A tlog-proof without its header line.</summary>
    BadHeader = 50,

    /// <summary>An index line that is missing or not a canonical decimal of 64 bits.</summary>
    BadIndex = 51,

    /// <summary>A hash line that is not base64 of 32 bytes.</summary>
    BadHash = 52,

    /// <summary>The index is not below the size.</summary>
    IndexOutOfRange = 60,

    /// <summary>The older size is larger than the newer one.</summary>
    SizeOrder = 61,

    /// <summary>A proof with more or fewer hashes than its sizes require.</summary>
    ProofLength = 62,

    /// <summary>The proof results in another root.</summary>
    RootMismatch = 63,

    /// <summary>An entry bundle or tile with more or fewer bytes than its width requires.</summary>
    BadTileLength = 70,

    /// <summary>A tile or bundle that a checkpoint says must exist was not found.</summary>
    TileMissing = 71,

    /// <summary>A tile's hashes do not result in the checkpoint's root.</summary>
    TileMismatch = 72,

    /// <summary>An entry of a bundle does not hash to its leaf.</summary>
    EntryMismatch = 73,

    /// <summary>A policy's line with another first word, or with too few or too many fields.</summary>
    BadPolicyLine = 80,

    /// <summary>A policy name that is already defined, or <c>none</c>.</summary>
    DuplicatePolicyName = 81,

    /// <summary>A name that no earlier line of the policy defines.</summary>
    UnknownPolicyName = 82,

    /// <summary>A public key that an earlier line of the policy has, under any name and for any use.</summary>
    DuplicateKey = 83,

    /// <summary>A log's key of another type than 0x01, or a witness's of another than 0x04.</summary>
    WrongKeyType = 84,

    /// <summary>A group's number that is not between 1 and the number of its members.</summary>
    BadThreshold = 85,

    /// <summary>A name that occurs in a group for the second time.</summary>
    RepeatedMember = 86,

    /// <summary>Groups nested beyond the limit.</summary>
    PolicyTooDeep = 87,

    /// <summary>A policy without a quorum line.</summary>
    MissingQuorum = 88,

    /// <summary>A second quorum line.</summary>
    SecondQuorum = 89,
}
