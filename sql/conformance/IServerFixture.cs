using System.Data.Common;

namespace Optiks.Storage.Conformance;

/// <summary>Gives the suite an engine that is a server.</summary>
public interface IServerFixture : IStorageFixture
{
    /// <summary>The engine's own SQL.</summary>
    ServerSql Sql { get; }

    /// <summary>
    /// Creates a connection that is not pooled and not open yet. If <paramref name="session"/> is given, it is the name of the connection's
    /// session.
    /// </summary>
    DbConnection Connect(string connectionString, string? session = null);

    /// <summary>
    /// Creates a user with the rights of a role, and returns the user's connection string. Removing the database removes the user.
    /// </summary>
    Task<string> CreateUserAsync(string connectionString, string role);

    /// <summary>Returns whether a statement failed because its user lacks the right.</summary>
    bool IsDenied(DbException e);
}
