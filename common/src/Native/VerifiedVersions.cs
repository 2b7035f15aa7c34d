namespace Optiks.Native;

/// <summary>VerifiedVersions is the accepted history of one key.</summary>
/// <param name="Version">a, the latest version.</param>
/// <param name="From">First version asked for.</param>
/// <param name="Members">Versions from <paramref name="From"/> on.</param>
/// <param name="Complete">False: a page; ask again from the last of them, with <paramref name="Version"/> as the page version. Nothing is shown yet.</param>
public sealed record VerifiedVersions(ulong Version, ulong From, IReadOnlyList<VerifiedVersion> Members, bool Complete);
