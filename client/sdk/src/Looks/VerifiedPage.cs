using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>The verifier's verdict on one answer about the versions of a subject.</summary>
/// <param name="Reason">The verdict.</param>
/// <param name="Head">The answer's head; null if the answer is refused.</param>
/// <param name="Chains">The versions of each chain that the answer shows, the subject's own chain first.</param>
/// <param name="KeptList">Octets of the device list to keep from now on; empty if there is no list.</param>
/// <param name="FailedKey">Index of the key whose proof failed; null if the failure belongs to no key.</param>
internal readonly record struct VerifiedPage(
    Reason Reason, VerifiedHead? Head, IReadOnlyList<(StructureKey Chain, VerifiedVersions Versions)> Chains,
    ReadOnlyMemory<byte> KeptList = default, int? FailedKey = null);
