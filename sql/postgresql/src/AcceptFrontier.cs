using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>
/// Finds a number such that no further pending row can appear at or before it. Numbers are drawn in order, but large groups commit at the
/// same time, in any order.
/// </summary>
/// <remarks>
/// A transaction that draws a number holds <see cref="AdvisoryLocks.Accept"/> until it ends. So when a row is visible, all transactions
/// that drew earlier numbers have ended or hold the lock. Once the transactions that held the lock then no longer hold it, they have ended,
/// and every later transaction sees their rows. Not thread-safe.
/// </remarks>
internal sealed class AcceptFrontier
{
    // Locks are not part of a transaction's snapshot: the result shows who holds them now.
    private const string Holders = $"SELECT array_agg(virtualtransaction) FROM pg_locks WHERE {AdvisoryLocks.HoldsAccept}";

    // The transactions that may have drawn a number up to the candidate.
    private HashSet<string> _accepting = [];
    private long _candidate;

    /// <summary>The number found so far. A transaction that begins from now on sees all rows up to it.</summary>
    public long Through { get; private set; }

    /// <summary>Discards everything it knows, because the database may have been restored to lower numbers since.</summary>
    public void Restart()
    {
        _accepting = [];
        _candidate = 0;
        Through = 0;
    }

    /// <summary>Advances after a row was read; call it with the connection that read the row.</summary>
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
