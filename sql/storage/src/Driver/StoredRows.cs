using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// Reads objects of the contract's types from rows whose columns are in the order of <see cref="Statements"/>. Also creates the exceptions
/// for missing or contradictory rows.
/// </summary>
public static class StoredRows
{
    /// <summary>Reads the head row.</summary>
    public static async Task<HeadRow> ReadHeadAsync(this ISession session, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(session);
        return await session.FirstAsync(session.Database.Statements.Head, ReadHead, cancellationToken)
            ?? throw NoHead(session.Database.Location);
    }

    /// <summary>Converts a row of <see cref="Statements.Head"/> into a head row.</summary>
    internal static HeadRow ReadHead(IRows rows) =>
        new(rows.GetNullableUInt64(0), rows.GetBytes(1), rows.GetNullableUInt64(2), rows.GetInt64(3), rows.GetText(4), rows.GetTime(5));

    /// <summary>Creates the exception for the case that <see cref="Statements.Head"/> returns no row.</summary>
    internal static StorageCorruptException NoHead(string location) => new($"The database {location} has no head row: restore it.");

    /// <summary>Converts a row of <see cref="Statements.StoredRequests"/> into a request.</summary>
    public static StoredRequest ReadRequest(IRows rows)
    {
        ArgumentNullException.ThrowIfNull(rows);
        return new StoredRequest(rows.GetInt64(0), rows.GetRequestId(1), rows.GetBytes(2));
    }

    /// <summary>
    /// Reads a pending row from a result whose columns are seq, item, request_id, body_hash, structure, key, value, expected_period and
    /// expected_version, in this order.
    /// </summary>
    public static PendingRow PendingRow(IRows rows)
    {
        ArgumentNullException.ThrowIfNull(rows);
        return new PendingRow(rows.GetInt64(0), rows.GetInt16(1), rows.IsNull(2) ? null : rows.GetRequestId(2), rows.GetBytes(3),
            Update(rows, 4));
    }

    /// <summary>Converts a row of <see cref="Statements.Periods"/> into a period.</summary>
    internal static PeriodRow Period(IRows rows) => new(
        rows.GetUInt64(0), (PeriodState)rows.GetInt16(1), rows.GetNullableUInt64(2), rows.IsNull(3) ? null : rows.GetInt32(3),
        rows.GetBytes(4), rows.GetBytes(5));

    /// <summary>Converts a row of <see cref="Statements.Epochs"/> into an epoch.</summary>
    internal static EpochRow Epoch(IRows rows) => new(rows.GetUInt64(0), rows.GetBytes(1), rows.GetBytes(2), rows.GetBytes(3));

    /// <summary>
    /// Reads an update from five columns: structure, key, value, expected_period and expected_version. The parameter
    /// <paramref name="column"/> is the number of the first of them.
    /// </summary>
    internal static AcceptItem Update(IRows rows, int column)
    {
        ExpectedVersion? expected = rows.IsNull(column + 3)
            ? null
            : new ExpectedVersion(rows.GetUInt64(column + 3), rows.GetUInt64(column + 4));
        return new AcceptItem((StructureId)rows.GetInt16(column), rows.GetBytes(column + 1), rows.GetBytes(column + 2), expected);
    }

    /// <summary>Converts a row of <see cref="Statements.Erasures"/> into an erasure.</summary>
    internal static StoredErasure Erasure(IRows rows)
    {
        var erasure = new Erasure(rows.GetUInt64(2), rows.GetInt32(4),
            new LeafOrigin(rows.GetRequestId(5), rows.GetInt16(6)))
        { Period = rows.GetNullableUInt64(3) };
        return rows.IsNull(7)
            ? new StoredErasure(rows.GetUInt64(0), rows.GetInt32(1), erasure, null, default, default)
            : new StoredErasure(rows.GetUInt64(0), rows.GetInt32(1), erasure, (StructureId)rows.GetInt16(7), rows.GetBytes(8),
                rows.GetBytes(9));
    }

    /// <summary>
    /// Reads the refusal of <see cref="ResultColumns"/> from four columns: refusal, refused_item, current_period and current_version. The
    /// parameter <paramref name="column"/> is the number of the first of them. Returns null if the column refusal is null.
    /// </summary>
    internal static Refusal? Refusal(IRows rows, int column) => rows.IsNull(column)
        ? null
        : new Refusal((RefusalReason)rows.GetInt16(column), rows.GetInt16(column + 1),
            new ExpectedVersion(rows.GetUInt64(column + 2), rows.GetUInt64(column + 3)));
}
