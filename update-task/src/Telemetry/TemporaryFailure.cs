using Optiks.Secrets;
using Optiks.Storage;
using Optiks.UpdateTask.Buckets;

namespace Optiks.UpdateTask.Telemetry;

/// <summary>Says which failures may end by themselves or by an operator's change, so that the task waits and tries again.</summary>
internal static class TemporaryFailure
{
    /// <summary>The sentence for a database that does not answer.</summary>
    public const string DatabaseUnavailable = "The database is unavailable.";

    /// <summary>
    /// Returns the sentence for the task's status, or null if a retry cannot help. The caller must know that the process could use its keys
    /// before: otherwise a <see cref="SecretsException"/> is a wrong setting.
    /// </summary>
    public static string? Describe(Exception failure) => failure switch
    {
        StorageUnavailableException => DatabaseUnavailable,
        // A token with a key is not available.
        SignerUnavailableException => "A token's key cannot be used.",
        // An operator is changing a file or a token.
        SecretsException => "A key cannot be used.",
        // The epoch waits, because no epoch is signed before the bucket has its mark.
        ObjectStoreException => "The bucket neither takes nor returns the high-water mark.",
        // The disk is full or failing: epochs wait, but updates are still accepted.
        IOException or UnauthorizedAccessException => "The board's files cannot be written.",
        _ => null,
    };
}
