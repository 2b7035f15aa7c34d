using System.Data.Common;

namespace Optiks.Storage.Conformance;

/// <summary>Gives the suite an engine that is a server.</summary>
public interface IServerFixture : IStorageFixture
{
    /// <summary>Sql of the engine.</summary>
    ServerSql Sql { get; }

    /// <summary>Makes a connection that is not pooled and not open yet, under the name of another's session if one is given.</summary>
    DbConnection Connect(string connectionString, string? session = null);

    /// <summary>Makes a user with the rights of a role and returns its connection string. The database's removal removes the user.</summary>
    Task<string> CreateUserAsync(string connectionString, string role);

    /// <summary>Says whether a statement failed because its user may not do that.</summary>
    bool IsDenied(DbException e);
}
