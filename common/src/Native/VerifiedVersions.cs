namespace Optiks.Native;

/// <summary>VerifiedVersions is the accepted history of one key.</summary>
/// <param name="Version">a, the latest version.</param>
/// <param name="From">First version asked for.</param>
/// <param name="Entries">Versions from <paramref name="From"/> on.</param>
/// <param name="Complete">False: a page; ask again from the last entry, with <paramref name="Version"/> as the page version. Nothing is shown yet.</param>
public sealed record VerifiedVersions(ulong Version, ulong From, IReadOnlyList<VerifiedVersion> Entries, bool Complete);
