using Optiks.Storage;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// Names the reasons why the log refuses a request (docs/spec/users.md section 7). Requests about keys have only the first reason.
/// </summary>
internal static class RefusalNames
{
    // The names are in the order of RefusalReason, beginning with ExpectedVersion, and of docs/spec/users.md.
    private static readonly string[] s_names =
        ["expected-version", "user-left", "user-exists", "user-unknown", "username-taken", "device-taken", "device-unknown", "device-limit"];

    /// <summary>All names.</summary>
    public static IReadOnlyList<string> All => s_names;

    /// <summary>
    /// Returns the name of a stored reason. Throws <see cref="StorageCorruptException"/> if the reason is not a reason of refusals.
    /// </summary>
    public static string Get(RefusalReason reason) => reason >= RefusalReason.ExpectedVersion && (int)reason <= s_names.Length
        ? s_names[reason - RefusalReason.ExpectedVersion]
        : throw new StorageCorruptException($"A request was refused for reason {(int)reason}, which this build does not know.");
}
