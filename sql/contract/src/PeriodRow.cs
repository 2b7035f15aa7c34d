namespace Optiks.Storage;

/// <summary>Holds a time period's secrets, which leave memory only wrapped by the key-encryption key.</summary>
/// <param name="Period">Number of the period.</param>
/// <param name="State">What it has come to.</param>
/// <param name="FirstEpoch">Its first epoch; null while it is next.</param>
/// <param name="Copies">How many rows of copies that epoch took, as numbers 0, 1, ...; null while it is next.</param>
/// <param name="WrappedSecrets">VRF secrets and tag keys of the structures, wrapped together; in a log from before each structure had a tag key, the one of all four. Empty once they are destroyed.</param>
/// <param name="Configuration">The log's Configuration octets (docs/spec/records.md section 1).</param>
public sealed record PeriodRow(ulong Period, PeriodState State, ulong? FirstEpoch, int? Copies, ReadOnlyMemory<byte> WrappedSecrets, ReadOnlyMemory<byte> Configuration)
{
    /// <summary>The row of period 0, which epoch 0 begins with nothing.</summary>
    public static PeriodRow OfGenesis(ReadOnlyMemory<byte> wrappedSecrets, ReadOnlyMemory<byte> configuration) => new(0, PeriodState.Current, 0, 0, wrappedSecrets, configuration);
}
