namespace Optiks.Storage;

/// <summary>Adds methods to sessions and rows that read whole results.</summary>
public static class SessionExtensions
{
    /// <summary>Runs a query and returns the result of the function <paramref name="read"/> for the first row; the type's default value if
    /// there is no row.</summary>
    public static async Task<T?> FirstAsync<T>(
        this ISession session, Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters)
    {
        ArgumentNullException.ThrowIfNull(session);
        ArgumentNullException.ThrowIfNull(read);
        await using IRows rows = await session.QueryAsync(sql, cancellationToken, parameters);
        return await rows.ReadAsync(cancellationToken) ? read(rows) : default;
    }

    /// <summary>Runs a query and returns the results of the function <paramref name="read"/> for all rows.</summary>
    public static async Task<IReadOnlyList<T>> ListAsync<T>(
        this ISession session, Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters)
    {
        ArgumentNullException.ThrowIfNull(session);
        await using IRows rows = await session.QueryAsync(sql, cancellationToken, parameters);
        return await rows.ListAsync(read, cancellationToken);
    }

    /// <summary>Returns the results of the function <paramref name="read"/> for the remaining rows.</summary>
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
