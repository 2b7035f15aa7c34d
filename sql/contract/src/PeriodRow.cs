namespace Optiks.Storage;

/// <summary>PeriodRow holds a time period's secrets, which leave memory only wrapped by the key-encryption key.</summary>
/// <param name="Period">Number of the period.</param>
/// <param name="FirstEpoch">Its first epoch.</param>
/// <param name="WrappedSecrets">VRF secrets and tag keys of the structures, wrapped; in a log from before each structure had a tag key, the one of all four.</param>
/// <param name="Configuration">The log's Configuration octets (docs/spec/records.md section 1).</param>
public sealed record PeriodRow(ulong Period, ulong FirstEpoch, ReadOnlyMemory<byte> WrappedSecrets, ReadOnlyMemory<byte> Configuration);
