using System.Data;
using Microsoft.Data.SqlClient.Server;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// The table types of the schema, each with the grants that its users need (grants.sql). No column may be null. If a server mistakes a
/// value of a list for null (docs/operations/sqlserver.md, Other servers of the protocol), that server then refuses the statement instead
/// of storing something that was not sent.
/// </summary>
internal static class Lists
{
    private const long None = -1;

    /// <summary>Sequence numbers.</summary>
    public static ListType<long> Sequences { get; } = new("optiks.SequenceList", (record, sequence) => record.SetInt64(0, sequence), new SqlMetaData("Seq", SqlDbType.BigInt));

    /// <summary>Request ids.</summary>
    public static ListType<Guid> RequestIds { get; } = new("optiks.RequestIdList", (record, id) => SetRequestId(record, 0, id), Binary("RequestId", 16));

    /// <summary>Keys with their indexes and the number of their occurrences in the group.</summary>
    public static ListType<(int Index, (UpdateKey Key, int Occurrences) Item)> Keys { get; } = new(
        "optiks.KeyList",
        (record, row) =>
        {
            record.SetInt32(0, row.Index);
            record.SetByte(1, (byte)row.Item.Key.Structure);
            SetOctets(record, 2, row.Item.Key.Key);
            record.SetInt32(3, row.Item.Occurrences);
        },
        new SqlMetaData("Number", SqlDbType.Int),
        new SqlMetaData("Structure", SqlDbType.TinyInt),
        new SqlMetaData("Key", SqlDbType.VarBinary, 255),
        new SqlMetaData("Occurrences", SqlDbType.Int));

    /// <summary>
    /// Requests with their indexes. The sequence numbers in the list begin with 1 and count from the first number that was drawn for the
    /// requests.
    /// </summary>
    public static ListType<(int Index, AcceptRequest Item)> Requests { get; } = new(
        "optiks.RequestList",
        (record, row) =>
        {
            record.SetInt64(0, Sequence(row.Index));
            SetRequestId(record, 1, row.Item.RequestId);
            SetOctets(record, 2, row.Item.BodyHash);
        },
        new SqlMetaData("Seq", SqlDbType.BigInt),
        Binary("RequestId", 16),
        Binary("BodyHash", 32));

    /// <summary>
    /// Items, with requests numbered as in <see cref="Requests"/>; an update that expects no version has <c>-1</c> as expected period and
    /// as expected version.
    /// </summary>
    public static ListType<(int Request, int Item, AcceptItem Update)> Items { get; } = new(
        "optiks.PendingList",
        (record, row) =>
        {
            record.SetInt64(0, Sequence(row.Request));
            record.SetByte(1, checked((byte)row.Item));
            record.SetByte(2, (byte)row.Update.Structure);
            record.SetInt64(3, row.Update.Expected is { } expected ? checked((long)expected.Period) : None);
            record.SetInt64(4, row.Update.Expected is { } latest ? checked((long)latest.Version) : None);
            SetOctets(record, 5, row.Update.Key);
            SetOctets(record, 6, row.Update.Value);
        },
        new SqlMetaData("Seq", SqlDbType.BigInt),
        new SqlMetaData("Item", SqlDbType.TinyInt),
        new SqlMetaData("Structure", SqlDbType.TinyInt),
        new SqlMetaData("ExpectedPeriod", SqlDbType.BigInt),
        new SqlMetaData("ExpectedVersion", SqlDbType.BigInt),
        new SqlMetaData("Key", SqlDbType.VarBinary, 255),
        new SqlMetaData("Value", SqlDbType.VarBinary, SqlMetaData.Max));

    /// <summary>The items that an epoch decides.</summary>
    public static ListType<Outcome> Decided { get; } = new(
        "optiks.DecidedList",
        (record, outcome) =>
        {
            record.SetInt64(0, outcome.Sequence);
            record.SetByte(1, checked((byte)outcome.Item));
            SetRequestId(record, 2, outcome.RequestId);
        },
        new SqlMetaData("Seq", SqlDbType.BigInt),
        new SqlMetaData("Item", SqlDbType.TinyInt),
        Binary("RequestId", 16));

    // Returns the sequence number in a list: the first number is 1.
    private static long Sequence(int index) => index + 1L;

    private static SqlMetaData Binary(string name, int length) => new(name, SqlDbType.Binary, length);

    private static void SetRequestId(SqlDataRecord record, int column, Guid id) => SetOctets(record, column, Parameters.Octets(id));

    // This method replaces the whole value. SetBytes would keep the rest of a longer old value, so the reused record would keep the end of
    // the previous row's value.
    private static void SetOctets(SqlDataRecord record, int column, ReadOnlyMemory<byte> octets) => record.SetSqlBinary(column, new System.Data.SqlTypes.SqlBinary(octets.ToArray()));
}
