using System.Globalization;

namespace Optiks.Secrets;

/// <summary>SecretPurpose names what a wrapped secret is for. Part of the associated data: never change a name.</summary>
public static class SecretPurpose
{
    /// <summary>LogKey is the Ed25519 seed that signs checkpoints.</summary>
    public const string LogKey = "log key";

    /// <summary>PeriodSecrets are the VRF secrets and tag keys of one period.</summary>
    public static string PeriodSecrets(ulong period) => string.Create(CultureInfo.InvariantCulture, $"secrets of period {period}");
}
