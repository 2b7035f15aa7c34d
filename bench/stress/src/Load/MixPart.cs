using System.Globalization;

namespace Optiks.Stress.Load;

/// <summary>Describes one operation of a mix.</summary>
/// <param name="Kind">The kind of operation.</param>
/// <param name="Weight">The weight of this operation relative to the other operations of the mix; above 0.</param>
/// <param name="Size">The number of updates in a batch; 1 for every other operation.</param>
internal readonly record struct MixPart(OperationKind Kind, double Weight, int Size)
{
    public string Name { get; } = Kind == OperationKind.Batch ? $"batch:{Size}" : Kind.ToString().ToLowerInvariant();

    public bool IsUpdate => Kind is OperationKind.Update or OperationKind.Batch;

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Name}={Weight}");
}
