namespace Optiks.Storage;

/// <summary>A period's row. Its secrets leave memory only wrapped by the key-encryption key.</summary>
/// <param name="Period">Number of the period.</param>
/// <param name="State">The state of the period.</param>
/// <param name="FirstEpoch">The period's first epoch; null while the period's state is next.</param>
/// <param name="Copies">The number of rows of copies, numbered 0, 1, ..., with which the period began; null while the period's state is
/// next.</param>
/// <param name="WrappedSecrets">
/// VRF secrets and tag keys of the structures, wrapped together. A log from before each structure had a tag key has one tag key for all
/// four. Empty once the secrets are destroyed.
/// </param>
/// <param name="Configuration">The bytes of the log's Configuration (docs/spec/records.md section 1).</param>
public sealed record PeriodRow(ulong Period, PeriodState State, ulong? FirstEpoch, int? Copies, ReadOnlyMemory<byte> WrappedSecrets, ReadOnlyMemory<byte> Configuration)
{
    /// <summary>Returns the row of period 0, which begins at epoch 0 without copies.</summary>
    public static PeriodRow Genesis(ReadOnlyMemory<byte> wrappedSecrets, ReadOnlyMemory<byte> configuration) => new(0, PeriodState.Current, 0, 0, wrappedSecrets, configuration);
}
