// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>The limits of requests and answers (docs/spec/rest.md section 6).</summary>
public static class ProtocolLimits
{
    /// <summary>The largest number of octets in a key; a key has at least one octet.</summary>
    public const int MaxKeyLength = 255;

    /// <summary>The largest number of octets in a value, unless the configuration sets another number.</summary>
    public const int DefaultMaxValueLength = 65_536;

    /// <summary>The largest number of octets in a value that a configuration may allow.</summary>
    public const int MaxValueLength = 1_048_576;

    /// <summary>The largest number of epochs in a range.</summary>
    public const int MaxRangeEpochs = 256;

    /// <summary>The largest number of users that a username leads to, one after another (docs/spec/recycled-names.md).</summary>
    public const int MaxGenerations = 64;

    /// <summary>The largest number of records in an answer with the bounds of periods (docs/spec/periods.md section 4).</summary>
    public const int MaxPeriodBounds = 128;

    /// <summary>The largest number of queries in a request.</summary>
    public const int MaxQueries = 256;

    /// <summary>The largest number of elements in a list of updates.</summary>
    public const int MaxList = 1000;

    /// <summary>The largest number of items in an atomic request.</summary>
    public const int MaxItems = 256;

    /// <summary>The largest number of known keys in a query about a user.</summary>
    public const int MaxKnownKeys = 1024;

    /// <summary>The largest number of usernames in a request to monitor a user.</summary>
    public const int MaxOwnNames = 64;

    /// <summary>The largest number of entries in an answer about several users: usernames, decommissions, device lists and keys.</summary>
    public const int MaxUserEntries = 2048;

    /// <summary>The largest number of octets in a body with updates.</summary>
    public const int MaxUpdateBody = 8_388_608;

    /// <summary>The largest number of versions that a request to erase values names.</summary>
    public const int MaxErasures = 1024;

    /// <summary>The largest number of pending updates of one key.</summary>
    public const int MaxPending = 16;

    /// <summary>The largest number of receipt keys that a log vouches for in one note (docs/spec/receipts.md).</summary>
    public const int MaxReceiptKeys = 32;

    /// <summary>The largest number of epochs within which a receipt promises publication.</summary>
    public const int MaxPromisedEpochs = 1_048_576;

    /// <summary>The largest number of answers in the evidence of a broken promise.</summary>
    public const int MaxEvidenceAnswers = 1000;

    /// <summary>The largest number of characters in a token.</summary>
    public const int MaxToken = 8192;

    /// <summary>The largest number of keys that a token names.</summary>
    public const int MaxTokenKeys = 256;
}
