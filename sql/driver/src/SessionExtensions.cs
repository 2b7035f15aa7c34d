namespace Optiks.Storage.Driver;

/// <summary>Reads whole results.</summary>
public static class SessionExtensions
{
    /// <summary>Returns the result of <paramref name="read"/> for the first row; the type's default when there is no row.</summary>
    public static async Task<T?> FirstAsync<T>(this ISession session, Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters)
    {
        ArgumentNullException.ThrowIfNull(session);
        ArgumentNullException.ThrowIfNull(read);
        await using IRows rows = await session.QueryAsync(sql, cancellationToken, parameters);
        return await rows.ReadAsync(cancellationToken) ? read(rows) : default;
    }

    /// <summary>Returns the results of <paramref name="read"/> for all rows.</summary>
    public static async Task<IReadOnlyList<T>> ListAsync<T>(this ISession session, Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters)
    {
        ArgumentNullException.ThrowIfNull(session);
        await using IRows rows = await session.QueryAsync(sql, cancellationToken, parameters);
        return await rows.ListAsync(read, cancellationToken);
    }

    /// <summary>Returns the results of <paramref name="read"/> for the remaining rows.</summary>
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
