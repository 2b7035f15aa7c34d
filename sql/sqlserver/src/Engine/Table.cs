namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Table that rows are copied into.</summary>
/// <param name="Name">Its name as it stands in T-SQL.</param>
/// <param name="Sorted">How many of the first columns are its clustered key, in whose order the rows come; 0: in any order.</param>
/// <param name="Columns">The columns, as a copied row gives them.</param>
internal sealed record Table(string Name, int Sorted, params string[] Columns)
{
    public static Table Request { get; } = new("optiks.Request", 0, "RequestId", "Seq", "BodyHash");

    public static Table Pending { get; } = new("optiks.Pending", 2, "Seq", "Item", "Structure", "ExpectedPeriod", "ExpectedVersion", "Key", "Value");

    public static Table Outcome { get; } = new("optiks.Outcome", 2, "Seq", "Item", "Epoch", "Ordinal", "Refusal", "RefusedItem", "CurrentPeriod", "CurrentVersion");

    public static Table Leaf { get; } = new("optiks.Leaf", 2, "Epoch", "Ordinal", "Structure", "Period", "Version", "Label", "Commitment", "Tag", "RequestId", "Item");

    public static Table Value { get; } = new("optiks.[Value]", 2, "Epoch", "Ordinal", "Opening", "Key", "Value");

    public static Table Epoch { get; } = new("optiks.Epoch", 1, "Epoch", "Leaves", "ValueBytes", "RecordHash", "Record", "Checkpoint");

    public static Table Period { get; } = new("optiks.Period", 1, "Period", "FirstEpoch", "WrappedSecrets", "Configuration");
}
