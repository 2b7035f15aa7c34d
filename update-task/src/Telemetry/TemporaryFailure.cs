using Optiks.Secrets;
using Optiks.Storage;
using Optiks.UpdateTask.Buckets;

namespace Optiks.UpdateTask.Telemetry;

/// <summary>
/// Decides which failures may be temporary: they may end by themselves, or when an operator changes something. After such a failure the
/// task waits and tries again.
/// </summary>
internal static class TemporaryFailure
{
    /// <summary>The sentence for the task's status while the database does not answer.</summary>
    public const string DatabaseUnavailable = "The database is unavailable.";

    /// <summary>
    /// Returns a sentence about the failure for the task's status, or null if a retry cannot help. The caller must know that this process
    /// could use its keys earlier. Otherwise a <see cref="SecretsException"/> means that a setting is wrong, and a retry does not help.
    /// </summary>
    public static string? Describe(Exception failure) => failure switch
    {
        StorageUnavailableException => DatabaseUnavailable,
        // The token that holds a key is unavailable at present.
        SignerUnavailableException => "A token's key cannot be used.",
        // The keys were usable earlier, so an operator is probably changing a key file or a token.
        SecretsException => "A key cannot be used.",
        // The epoch must wait, because the task signs no epoch before the bucket has the epoch's high-water mark.
        ObjectStoreException => "The bucket neither takes nor returns the high-water mark.",
        // The disk is full or failing. Epochs must wait, but the update-service still accepts updates.
        IOException or UnauthorizedAccessException => "The board's files cannot be written.",
        _ => null,
    };
}
