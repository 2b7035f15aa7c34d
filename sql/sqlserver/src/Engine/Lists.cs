using System.Data;
using Microsoft.Data.SqlClient.Server;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// Defines the table types of the schema; grants.sql gives the roles the rights to use them. No column of these types may be null. Some
/// servers mistake a value in a list for null (docs/operations/sqlserver.md, Other servers of the protocol). Such a server then refuses the
/// statement, instead of storing something that the driver did not send.
/// </summary>
internal static class Lists
{
    private const long None = -1;

    /// <summary>Sequence numbers.</summary>
    public static ListType<long> Sequences { get; } = new(
        "optiks.SequenceList", (record, sequence) => record.SetInt64(0, sequence), new SqlMetaData("Seq", SqlDbType.BigInt));

    /// <summary>Request ids.</summary>
    public static ListType<Guid> RequestIds { get; } = new(
        "optiks.RequestIdList", (record, id) => SetRequestId(record, 0, id), Binary("RequestId", 16));

    /// <summary>The type for lists of keys, each with its index in the list and the number of updates of the key in the group of
    /// requests that one transaction accepts.</summary>
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
    /// The type for lists of requests with their indexes. The sequence numbers in a list begin with 1; the statement adds to them the last
    /// number that earlier statements assigned.
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
    /// The type for lists of items, whose requests are numbered as in <see cref="Requests"/>. An update that accepts any version has
    /// <c>-1</c> as its expected period and version.
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

    /// <summary>The type for lists of the items that an epoch decides.</summary>
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

    // Returns a request's sequence number within a list; the first number is 1.
    private static long Sequence(int index) => index + 1L;

    private static SqlMetaData Binary(string name, int length) => new(name, SqlDbType.Binary, length);

    private static void SetRequestId(SqlDataRecord record, int column, Guid id) => SetOctets(record, column, Parameters.Octets(id));

    // SetSqlBinary replaces the whole value of the reused record. SetBytes would keep the end of the previous row's value if that value was
    // longer.
    private static void SetOctets(SqlDataRecord record, int column, ReadOnlyMemory<byte> octets) =>
        record.SetSqlBinary(column, new System.Data.SqlTypes.SqlBinary(octets.ToArray()));
}
