using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>Fencing keeps a lease from being taken over before the end of a transaction.</summary>
internal static class Fencing
{
    /// <summary>Lock is the statement that locks the head's row, whoever holds the lease. What a later statement reads and which time it sees is of after the wait.</summary>
    public const string Lock = "UPDATE optiks.Head SET Fence = Fence";

    // An update that changes nothing locks the row like any other; a hint to lock would be ignored elsewhere.
    private static readonly Statement s_hold = new("UPDATE optiks.Head SET Fence = Fence WHERE Fence = @fence AND Holder = @holder");

    private static readonly Statement s_lock = new(Lock);

    /// <summary>HoldAsync locks the head's row if the lease is still this one; false: it is lost.</summary>
    public static async Task<bool> HoldAsync(Connection connection, Lease lease, CancellationToken cancellationToken) =>
        await connection.ChangeAsync(s_hold, cancellationToken, Parameters.Bigint("@fence", lease.Fence), Parameters.Text("@holder", lease.Holder)) == 1;

    /// <summary>LockAsync locks the head's row, whoever holds the lease: nobody's epoch is under way then.</summary>
    public static Task LockAsync(Connection connection, CancellationToken cancellationToken) => connection.ExecuteAsync(s_lock, cancellationToken);
}
