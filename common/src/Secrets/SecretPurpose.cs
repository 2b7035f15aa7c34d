using System.Globalization;

namespace Optiks.Secrets;

/// <summary>Names the purposes of wrapped secrets. The names are part of the associated data: never change a name.</summary>
public static class SecretPurpose
{
    /// <summary>The name for the Ed25519 seed that signs checkpoints.</summary>
    public const string LogKey = "log key";

    /// <summary>Returns the name for the VRF secrets and tag keys of one period.</summary>
    public static string PeriodSecrets(ulong period) => string.Create(CultureInfo.InvariantCulture, $"secrets of period {period}");
}
