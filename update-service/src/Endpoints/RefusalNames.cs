using Optiks.Storage;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// Names the reasons for which the log refuses a request (docs/spec/users.md section 7, docs/spec/erasure.md section 4).
/// </summary>
internal static class RefusalNames
{
    // The names of the reasons, in the order of RefusalReason, beginning with ExpectedVersion.
    private static readonly string[] s_names =
        ["expected-version", "user-left", "user-exists", "user-unknown", "username-taken", "device-taken", "device-unknown",
            "device-limit", "latest-version", "user-not-left", "erasure-limit", "other-period", "nothing-left", "erased-with-user"];

    /// <summary>
    /// Returns the name of a stored reason. Throws <see cref="StorageCorruptException"/> if no request can be refused for this reason.
    /// </summary>
    public static string Get(RefusalReason reason) => reason >= RefusalReason.ExpectedVersion && (int)reason <= s_names.Length
        ? s_names[reason - RefusalReason.ExpectedVersion]
        : throw new StorageCorruptException($"A request was refused for reason {(int)reason}, which this build does not know.");
}
