using Optiks.Protocol;

namespace Optiks.Storage.Driver;

/// <summary>
/// Reads objects of the contract's types from rows whose columns are in the order of <see cref="Statements"/>. Creates the errors for
/// missing or contradictory rows.
/// </summary>
public static class StoredRows
{
    /// <summary>Reads the head row.</summary>
    public static async Task<HeadRow> ReadHeadAsync(this ISession session, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(session);
        return await session.FirstAsync(session.Database.Statements.Head, ReadHead, cancellationToken) ?? throw NoHead(session.Database.Location);
    }

    /// <summary>Reads a head row from a row of <see cref="Statements.Head"/>.</summary>
    internal static HeadRow ReadHead(IRows rows) => new(rows.GetNullableUInt64(0), rows.GetBytes(1), rows.GetNullableUInt64(2), rows.GetInt64(3), rows.GetText(4), rows.GetTime(5));

    /// <summary>Creates the error for a result of <see cref="Statements.Head"/> without a row.</summary>
    internal static StorageCorruptException NoHead(string location) => new($"The database {location} has no head row: restore it.");

    /// <summary>Reads a request from a row of <see cref="Statements.StoredRequests"/>.</summary>
    public static StoredRequest ReadRequest(IRows rows)
    {
        ArgumentNullException.ThrowIfNull(rows);
        return new StoredRequest(rows.GetInt64(0), rows.GetRequestId(1), rows.GetBytes(2));
    }

    /// <summary>
    /// Reads a pending row from the columns seq, item, request_id, body_hash, structure, key, value, expected_period, expected_version.
    /// </summary>
    public static PendingRow PendingRow(IRows rows)
    {
        ArgumentNullException.ThrowIfNull(rows);
        return new PendingRow(rows.GetInt64(0), rows.GetInt16(1), rows.IsNull(2) ? null : rows.GetRequestId(2), rows.GetBytes(3), Update(rows, 4));
    }

    /// <summary>Reads a period from a row of <see cref="Statements.Periods"/>.</summary>
    internal static PeriodRow Period(IRows rows) => new(
        rows.GetUInt64(0), (PeriodState)rows.GetInt16(1), rows.GetNullableUInt64(2), rows.IsNull(3) ? null : rows.GetInt32(3), rows.GetBytes(4), rows.GetBytes(5));

    /// <summary>Reads an epoch from a row of <see cref="Statements.Epochs"/>.</summary>
    internal static EpochRow Epoch(IRows rows) => new(rows.GetUInt64(0), rows.GetBytes(1), rows.GetBytes(2), rows.GetBytes(3));

    /// <summary>
    /// Reads an update from the columns structure, key, value, expected_period, expected_version, the first of which is
    /// <paramref name="column"/>.
    /// </summary>
    internal static AcceptItem Update(IRows rows, int column)
    {
        ExpectedVersion? expected = rows.IsNull(column + 3) ? null : new ExpectedVersion(rows.GetUInt64(column + 3), rows.GetUInt64(column + 4));
        return new AcceptItem((StructureId)rows.GetInt16(column), rows.GetBytes(column + 1), rows.GetBytes(column + 2), expected);
    }

    /// <summary>Reads an erasure from a row of <see cref="Statements.Erasures"/>.</summary>
    internal static StoredErasure Erasure(IRows rows)
    {
        var erasure = new Erasure(rows.GetUInt64(2), rows.GetInt32(4), new LeafOrigin(rows.GetRequestId(5), rows.GetInt16(6))) { Period = rows.GetNullableUInt64(3) };
        return rows.IsNull(7)
            ? new StoredErasure(rows.GetUInt64(0), rows.GetInt32(1), erasure, null, default, default)
            : new StoredErasure(rows.GetUInt64(0), rows.GetInt32(1), erasure, (StructureId)rows.GetInt16(7), rows.GetBytes(8), rows.GetBytes(9));
    }

    /// <summary>
    /// Reads a refusal from the columns refusal, refused_item, current_period, current_version, the first of which is
    /// <paramref name="column"/>; returns null when the column refusal is null.
    /// </summary>
    internal static Refusal? Refusal(IRows rows, int column) => rows.IsNull(column)
        ? null
        : new Refusal((RefusalReason)rows.GetInt16(column), rows.GetInt16(column + 1), new ExpectedVersion(rows.GetUInt64(column + 2), rows.GetUInt64(column + 3)));
}
