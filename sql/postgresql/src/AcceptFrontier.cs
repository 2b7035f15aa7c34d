using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>
/// Finds a sequence number up to which no further pending row can appear. This is needed because transactions draw numbers in order, but
/// transactions with large groups run concurrently and commit in any order.
/// </summary>
/// <remarks>
/// A transaction that draws a number holds <see cref="AdvisoryLocks.Accept"/> until it ends. So when a row is visible, all transactions
/// that drew earlier numbers have ended or hold the lock. Once each of the transactions that held the lock at that time has released it,
/// all of them have ended, and every later transaction sees their rows. Not thread-safe.
/// </remarks>
internal sealed class AcceptFrontier
{
    // Locks are not part of a transaction's snapshot, so the query always returns the current holders.
    private const string Holders = $"SELECT array_agg(virtualtransaction) FROM pg_locks WHERE {AdvisoryLocks.HoldsAccept}";

    // The transactions that may have drawn a number up to the candidate, and that had not ended when the candidate was chosen. The
    // candidate is the next value of `Through`.
    private HashSet<string> _accepting = [];
    private long _candidate;

    /// <summary>The highest sequence number up to which, as far as this object knows, no further pending row can appear. A transaction that
    /// begins from now on sees all rows up to this number.</summary>
    public long Through { get; private set; }

    /// <summary>Discards the number in <see cref="Through"/>. Callers do so when the database may have been restored to a state with
    /// lower numbers.</summary>
    public void Restart()
    {
        _accepting = [];
        _candidate = 0;
        Through = 0;
    }

    /// <summary>Advances the frontier if possible. Callers call it after they read a row, and pass the row's sequence number and the
    /// connection on which they read it.</summary>
    public async Task MoveAsync(NpgsqlConnection connection, long sequence, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand select = connection.Command(Holders);
        var holders = (await select.ExecuteScalarAsync(cancellationToken) as string[] ?? []).ToHashSet();
        if (!_accepting.Overlaps(holders))
        {
            Through = _candidate;
            _candidate = Math.Max(_candidate, sequence);
            _accepting = holders;
        }
    }
}
