namespace Optiks.Storage.Driver;

/// <summary>SessionExtensions read whole results.</summary>
public static class SessionExtensions
{
    /// <summary>Gives what <paramref name="read"/> makes of the first row; the type's default when there is none.</summary>
    public static async Task<T?> FirstAsync<T>(this ISession session, Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters)
    {
        ArgumentNullException.ThrowIfNull(session);
        ArgumentNullException.ThrowIfNull(read);
        await using IRows rows = await session.QueryAsync(sql, cancellationToken, parameters);
        return await rows.ReadAsync(cancellationToken) ? read(rows) : default;
    }

    /// <summary>Gives what <paramref name="read"/> makes of each row.</summary>
    public static async Task<IReadOnlyList<T>> ListAsync<T>(this ISession session, Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters)
    {
        ArgumentNullException.ThrowIfNull(session);
        await using IRows rows = await session.QueryAsync(sql, cancellationToken, parameters);
        return await rows.ListAsync(read, cancellationToken);
    }

    /// <summary>Gives what <paramref name="read"/> makes of each row that is left.</summary>
    public static async Task<IReadOnlyList<T>> ListAsync<T>(this IRows rows, Func<IRows, T> read, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(rows);
        ArgumentNullException.ThrowIfNull(read);
        var list = new List<T>();
        while (await rows.ReadAsync(cancellationToken))
        {
            list.Add(read(rows));
        }
        return list;
    }
}
