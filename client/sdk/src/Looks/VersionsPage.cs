namespace Optiks.Client;

/// <summary>One verified answer about the versions of a subject, with copies of its values.</summary>
/// <param name="Epoch">Epoch of the answer's record.</param>
/// <param name="Period">Period of the record.</param>
/// <param name="Chains">
/// The chains that the answer shows, the subject's own chain first; no chain if the subject is a user who has left.
/// </param>
/// <param name="KeptList">Octets of the device list to keep from now on; empty if there is no list.</param>
/// <param name="Octets">Number of octets of the answer.</param>
internal sealed record VersionsPage(
    ulong Epoch, ulong Period, IReadOnlyList<ChainPage> Chains, ReadOnlyMemory<byte> KeptList, int Octets)
{
    /// <summary>Whether the answer completes a result, because every list of versions ends in it.</summary>
    public bool Complete => Chains.All(chain => chain.Complete);

    /// <summary>Whether the answer shows that the subject is a user who has left; the answer then shows no versions.</summary>
    public bool HasLeft => Chains.Count == 0;
}
