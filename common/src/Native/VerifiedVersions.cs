namespace Optiks.Native;

/// <summary>Holds the accepted history of one key.</summary>
/// <param name="Version">The latest version, a.</param>
/// <param name="From">The first version that the client asked for.</param>
/// <param name="Members">The versions from <paramref name="From"/> on.</param>
/// <param name="Complete">Whether <paramref name="Members"/> ends the history. If not, the result is a page. The caller then shows no
/// results yet, and requests the versions after the page's last version, with <paramref name="Version"/> as the page version.</param>
public sealed record VerifiedVersions(ulong Version, ulong From, IReadOnlyList<VerifiedVersion> Members, bool Complete);
