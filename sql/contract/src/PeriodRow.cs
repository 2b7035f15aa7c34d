namespace Optiks.Storage;

/// <summary>PeriodRow holds a time period's secrets, which leave memory only wrapped by the key-encryption key.</summary>
/// <param name="Period">Number of the period.</param>
/// <param name="FirstEpoch">Its first epoch.</param>
/// <param name="WrappedSecrets">VRF secrets of the structures and the tag key, wrapped.</param>
/// <param name="Configuration">The log's Configuration octets (docs/spec/records.md section 1).</param>
public sealed record PeriodRow(ulong Period, ulong FirstEpoch, ReadOnlyMemory<byte> WrappedSecrets, ReadOnlyMemory<byte> Configuration);
