namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Describes a table into which the driver copies rows in bulk.</summary>
/// <param name="Name">The table's name in T-SQL.</param>
/// <param name="Sorted">
/// The number of leading columns that form the clustered key, if the driver sends the rows in that key's order; 0 if it sends them in any
/// order.
/// </param>
/// <param name="Columns">The columns, in the order of <see cref="Table"/>.</param>
internal sealed record BulkTable(string Name, int Sorted, params string[] Columns)
{
    public static IReadOnlyDictionary<Table, BulkTable> All { get; } = new Dictionary<Table, BulkTable>
    {
        [Table.Request] = new("optiks.Request", 0, "Seq", "RequestId", "BodyHash"),
        [Table.Pending] = new("optiks.Pending", 2, "Seq", "Item", "Structure", "ExpectedPeriod", "ExpectedVersion", "Key", "Value",
            "RequestId", "BodyHash"),
        [Table.Outcome] = new("optiks.Outcome", 2, "Seq", "Item", "Epoch", "Ordinal", "Refusal", "RefusedItem", "CurrentPeriod",
            "CurrentVersion"),
        [Table.Leaf] = new("optiks.Leaf", 2, "Epoch", "Ordinal", "Structure", "Period", "Version", "Label", "Commitment", "Tag",
            "RequestId", "Item"),
        [Table.Value] = new("optiks.[Value]", 2, "Epoch", "Ordinal", "Opening", "Key", "Value"),
        [Table.Epoch] = new("optiks.Epoch", 1, "Epoch", "Leaves", "ValueBytes", "RecordHash", "Record", "Checkpoint"),
        [Table.Period] = new("optiks.Period", 1, "Period", "State", "FirstEpoch", "Copies", "WrappedSecrets", "Configuration"),
        [Table.Erasure] = new("optiks.Erasure", 2, "DecidedIn", "Number", "Epoch", "Period", "Ordinal", "RequestId", "Item"),
        [Table.Copy] = new("optiks.[Copy]", 2, "Period", "Number", "Structure", "Version", "SourceEpoch", "SourceOrdinal", "Label",
            "Commitment", "Tag"),
        [Table.CopyValue] = new("optiks.CopyValue", 2, "Period", "Number", "Opening", "Key", "Value"),
    };
}
