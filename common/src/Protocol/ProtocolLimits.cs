// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>The limits of requests and answers (docs/spec/rest.md section 6).</summary>
public static class ProtocolLimits
{
    /// <summary>Octets of a key, which has at least one.</summary>
    public const int MaxKeyLength = 255;

    /// <summary>Octets of a value, unless the configuration says otherwise.</summary>
    public const int DefaultMaxValueLength = 65_536;

    /// <summary>Octets of a value, whatever the configuration says.</summary>
    public const int MaxValueLength = 1_048_576;

    /// <summary>Epochs of a range.</summary>
    public const int MaxRangeEpochs = 256;

    /// <summary>Users that a username leads to, one after another (docs/spec/recycled-names.md).</summary>
    public const int MaxGenerations = 64;

    /// <summary>Records of the bounds of periods (docs/spec/periods.md section 4).</summary>
    public const int MaxPeriodBounds = 128;

    /// <summary>Queries of a request.</summary>
    public const int MaxQueries = 256;

    /// <summary>Elements of a list of updates.</summary>
    public const int MaxList = 1000;

    /// <summary>Items of an atomic request.</summary>
    public const int MaxItems = 256;

    /// <summary>Known keys of a query about a user.</summary>
    public const int MaxKnownKeys = 1024;

    /// <summary>Names that a request to monitor a user asks for.</summary>
    public const int MaxOwnNames = 64;

    /// <summary>Entries of an answer about several users: usernames, decommissions, device lists and keys.</summary>
    public const int MaxUserEntries = 2048;

    /// <summary>Octets of a body of updates.</summary>
    public const int MaxUpdateBody = 8_388_608;

    /// <summary>Versions that an erasure names.</summary>
    public const int MaxErasures = 1024;

    /// <summary>Pending updates of a key.</summary>
    public const int MaxPending = 16;

    /// <summary>Receipt keys that a log vouches for in one note (docs/spec/receipts.md).</summary>
    public const int MaxReceiptKeys = 32;

    /// <summary>Epochs in which a receipt promises publication.</summary>
    public const int MaxPromisedEpochs = 1_048_576;

    /// <summary>Answers in the evidence of a broken promise.</summary>
    public const int MaxEvidenceAnswers = 1000;

    /// <summary>Characters of a token.</summary>
    public const int MaxToken = 8192;

    /// <summary>Keys that a token names.</summary>
    public const int MaxTokenKeys = 256;
}
