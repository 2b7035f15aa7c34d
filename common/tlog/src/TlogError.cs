namespace Optiks.Tlog;

/// <summary>
/// Lists the reasons why a note, proof, tile or policy is refused. The names and numbers never change, because clients report them and
/// tests cite them. <see cref="None"/> means success.
/// </summary>
public enum TlogError
{
    /// <summary>The input was accepted.</summary>
    None = 0,

    /// <summary>The input is longer than this library accepts for an input of its kind.</summary>
    TooLarge = 1,

    /// <summary>The input is not UTF-8.</summary>
    NotUtf8 = 2,

    /// <summary>The text has a character below U+0020 other than the newline (such as CR or TAB).</summary>
    ControlCharacter = 3,

    /// <summary>The last byte is not a newline.</summary>
    MissingFinalNewline = 4,

    /// <summary>The text has no empty line where the format requires one.</summary>
    MissingBlankLine = 5,

    /// <summary>The note has no signature lines.</summary>
    NoSignatures = 6,

    /// <summary>The note has more signature lines than <see cref="SignedNote.MaxSignatures"/>.</summary>
    TooManySignatures = 7,

    /// <summary>A signature line does not have the form "— name base64".</summary>
    MalformedSignatureLine = 8,

    /// <summary>A key name is empty or contains a Unicode space or '+'.</summary>
    BadKeyName = 9,

    /// <summary>The text is not canonical, padded base64 of the standard alphabet.</summary>
    BadBase64 = 10,

    /// <summary>A signature has no byte after the key ID.</summary>
    SignatureTooShort = 11,

    /// <summary>The note has no signature by a known key.</summary>
    NoKnownSignature = 20,

    /// <summary>A signature has the name and key ID of a known key, but does not verify.</summary>
    BadSignature = 21,

    /// <summary>A cosignature's timestamp is 2^63 or more.</summary>
    BadTimestamp = 22,

    /// <summary>The note is signed by known keys, but not by the log.</summary>
    NoLogSignature = 23,

    /// <summary>A key of type 0x01 has two signature lines. Such a key must sign a text only once.</summary>
    RepeatedSignature = 24,

    /// <summary>A verifier key does not have the exact form "name+hex+base64".</summary>
    MalformedKey = 30,

    /// <summary>A verifier key's key ID is not the hash of the key's name, type and bytes.</summary>
    KeyIdMismatch = 31,

    /// <summary>A verifier key has a type other than 0x01 and 0x04.</summary>
    UnsupportedKeyType = 32,

    /// <summary>The checkpoint has fewer than three lines.</summary>
    TooFewLines = 40,

    /// <summary>The origin line is empty.</summary>
    EmptyOrigin = 41,

    /// <summary>The checkpoint has the origin of another log.</summary>
    OriginMismatch = 42,

    /// <summary>The size is not a canonical decimal number of 64 bits.</summary>
    BadSize = 43,

    /// <summary>The root is not base64 of 32 bytes.</summary>
    BadRoot = 44,

    /// <summary>An extension line is empty.</summary>
    EmptyExtensionLine = 45,

    /// <summary>The checkpoint has a valid extension line, but this verifier was told to refuse extension lines.</summary>
    ExtensionLineRefused = 46,

    /// <summary>The size is 0, but the root is not the root of the empty tree.</summary>
    BadEmptyRoot = 47,

    /// <summary>The checkpoint has size 0. Optiks logs publish no checkpoint of an empty tree.</summary>
    EmptyTree = 48,

    /// <summary>The tlog-proof has no header line.</summary>
    BadHeader = 50,

    /// <summary>The index line is missing or not a canonical decimal number of 64 bits.</summary>
    BadIndex = 51,

    /// <summary>A hash line is not base64 of 32 bytes.</summary>
    BadHash = 52,

    /// <summary>The leaf's index is not below the tree's size.</summary>
    IndexOutOfRange = 60,

    /// <summary>The older size is larger than the newer size.</summary>
    SizeOrder = 61,

    /// <summary>The proof has more or fewer hashes than the tree's sizes require.</summary>
    ProofLength = 62,

    /// <summary>The proof results in a root other than the given root.</summary>
    RootMismatch = 63,

    /// <summary>An entry bundle or tile has more or fewer bytes than its width requires.</summary>
    BadTileLength = 70,

    /// <summary>A tile or bundle that must exist according to the checkpoint was not found.</summary>
    TileMissing = 71,

    /// <summary>A tile's hashes do not result in the checkpoint's root.</summary>
    TileMismatch = 72,

    /// <summary>An entry of a bundle does not hash to its leaf.</summary>
    EntryMismatch = 73,

    /// <summary>A line of the policy begins with an unknown word, or has too few or too many fields.</summary>
    BadPolicyLine = 80,

    /// <summary>A line of the policy defines a name that is already defined, or the name <c>none</c>.</summary>
    DuplicatePolicyName = 81,

    /// <summary>A line of the policy uses a name that no earlier line defines.</summary>
    UnknownPolicyName = 82,

    /// <summary>A line of the policy has the same public key as an earlier line, even if the two lines differ in the key's name or
    /// use.</summary>
    DuplicateKey = 83,

    /// <summary>A log's key has a type other than 0x01, or a witness's key has a type other than 0x04.</summary>
    WrongKeyType = 84,

    /// <summary>The number of cosigning members that a group requires is not between 1 and the number of the group's members.</summary>
    BadThreshold = 85,

    /// <summary>A name occurs in a group for the second time.</summary>
    RepeatedMember = 86,

    /// <summary>The policy's groups are nested too deeply.</summary>
    PolicyTooDeep = 87,

    /// <summary>The policy has no quorum line.</summary>
    MissingQuorum = 88,

    /// <summary>The policy has a second quorum line.</summary>
    SecondQuorum = 89,
}
