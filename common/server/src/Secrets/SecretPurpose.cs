using System.Globalization;

namespace Optiks.Secrets;

/// <summary>Names the purposes of wrapped secrets. The names are part of the associated data of wrapped secrets, so they must never change:
/// secrets that were wrapped under another name do not open.</summary>
public static class SecretPurpose
{
    /// <summary>The purpose of the log's Ed25519 seed, which signs checkpoints.</summary>
    public const string LogKey = "log key";

    /// <summary>Returns the purpose of the VRF secrets and tag keys of one period.</summary>
    public static string PeriodSecrets(ulong period) => string.Create(CultureInfo.InvariantCulture, $"secrets of period {period}");
}
