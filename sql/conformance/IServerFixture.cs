using System.Data.Common;

namespace Optiks.Storage.Conformance;

/// <summary>Provides an engine with a server to the suite.</summary>
public interface IServerFixture : IStorageFixture
{
    /// <summary>The SQL texts of the engine that differ from those of other engines.</summary>
    ServerSql Sql { get; }

    /// <summary>
    /// Creates a connection that is not pooled and not open yet. If a name is given (<paramref name="session"/>), the connection's session
    /// gets this name.
    /// </summary>
    DbConnection Connect(string connectionString, string? session = null);

    /// <summary>
    /// Creates a database user with the rights of a role, and returns that user's connection string. The user is removed with the database.
    /// </summary>
    Task<string> CreateUserAsync(string connectionString, string role);

    /// <summary>Returns whether a statement failed because its user lacks the necessary right.</summary>
    bool IsDenied(DbException e);
}
