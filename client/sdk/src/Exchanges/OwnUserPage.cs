using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>One verified answer about the client's own user, with copies of its values.</summary>
/// <param name="Epoch">Epoch of the answer's record.</param>
/// <param name="Period">Period of the record.</param>
/// <param name="HasLeft">Whether the user has left; the answer then shows nothing more.</param>
/// <param name="Complete">Whether the answer completes a result, because every list of versions ends in it.</param>
/// <param name="List">Versions of the device list that the answer shows.</param>
/// <param name="KeptList">Octets of the device list to keep from now on; empty if there is no list.</param>
/// <param name="Devices">The ids of the devices that the answer shows, in order, with the versions of the devices' keys.</param>
/// <param name="Octets">Number of octets of the answer.</param>
internal sealed record OwnUserPage(
    ulong Epoch, ulong Period, bool HasLeft, bool Complete, OwnUserPage.Key List, ReadOnlyMemory<byte> KeptList,
    IReadOnlyList<(KeyName Name, OwnUserPage.Key Key)> Devices, int Octets)
{
    public static OwnUserPage Of(VerifiedHead head, VerifiedOwnUser user, ReadOnlyMemory<byte> answer) => new(
        head.Epoch, head.Period, user.HasLeft, user.Complete, user.List is null ? default : Key.Of(user.List, head.Period, answer),
        user.KeptList,
        [.. user.Devices.Select(device => (KeyName.OfVerified(device.Device), Key.Of(device.Key, head.Period, answer)))], answer.Length);

    /// <summary>The part of an answer about one list of versions.</summary>
    /// <param name="Latest">
    /// Latest version. On a page that does not end the list, this number is only a claim of the server without proof.
    /// </param>
    /// <param name="Versions">Versions that the answer shows, in order.</param>
    /// <param name="Complete">Whether the list of versions ends on this page.</param>
    internal readonly record struct Key(ulong Latest, IReadOnlyList<TimedVersion> Versions, bool Complete)
    {
        /// <summary>
        /// The verdict of comparing the first version in the period with the end state of the previous period; null if they were not
        /// compared.
        /// </summary>
        public Reason? Handover { get; init; }

        public static Key Of(VerifiedVersions shown, ulong period, ReadOnlyMemory<byte> answer) =>
            new(shown.Version, TimedVersion.Of(shown, period, answer), shown.Complete);
    }
}
