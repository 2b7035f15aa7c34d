namespace Optiks.Native;

/// <summary>Holds the accepted history of one key.</summary>
/// <param name="Version">a, the latest version.</param>
/// <param name="From">The first version that the client asked for.</param>
/// <param name="Members">The versions from <paramref name="From"/> on.</param>
/// <param name="Complete">Whether this is the whole history. If not, the result is a page. The caller then shows nothing yet and asks again
/// from the page's last version, with <paramref name="Version"/> as the page version.</param>
public sealed record VerifiedVersions(ulong Version, ulong From, IReadOnlyList<VerifiedVersion> Members, bool Complete);
