namespace Optiks.Storage;

/// <summary>A period's row. The period's secrets are in the row only in wrapped form: the key-encryption key encrypts them.</summary>
/// <param name="Period">Number of the period.</param>
/// <param name="State">The state of the period.</param>
/// <param name="FirstEpoch">The period's first epoch; null while the state is <see cref="PeriodState.Next"/>.</param>
/// <param name="Copies">The number of rows of copies with which the period began, numbered from 0; null while the state is
/// <see cref="PeriodState.Next"/>.</param>
/// <param name="WrappedSecrets">
/// The VRF secrets and tag keys of the structures, wrapped together; empty once they are destroyed. Logs that an older release created have
/// one tag key for all four structures.
/// </param>
/// <param name="Configuration">The bytes of the log's Configuration (docs/spec/records.md section 1).</param>
public sealed record PeriodRow(ulong Period, PeriodState State, ulong? FirstEpoch, int? Copies, ReadOnlyMemory<byte> WrappedSecrets,
    ReadOnlyMemory<byte> Configuration)
{
    /// <summary>Returns the row of period 0, which begins at epoch 0 without copies.</summary>
    public static PeriodRow Genesis(ReadOnlyMemory<byte> wrappedSecrets, ReadOnlyMemory<byte> configuration) =>
        new(0, PeriodState.Current, 0, 0, wrappedSecrets, configuration);
}
