using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>
/// Finds a sequence number such that no further pending row can appear with this number or a lower one. Numbers are drawn in order, but
/// large groups commit at the same time, in any order.
/// </summary>
/// <remarks>
/// A transaction that draws a number holds <see cref="AdvisoryLocks.Accept"/> until it ends. So when a row is visible, all transactions
/// that drew earlier numbers have ended or hold the lock. Once none of the transactions that held the lock at that time holds it any more,
/// they have all ended, and every later transaction sees their rows. Not thread-safe.
/// </remarks>
internal sealed class AcceptFrontier
{
    // Locks are not part of a transaction's snapshot, so the result shows the present holders.
    private const string Holders = $"SELECT array_agg(virtualtransaction) FROM pg_locks WHERE {AdvisoryLocks.HoldsAccept}";

    // The transactions that may have drawn a number up to the candidate and that had not ended when the candidate was set.
    private HashSet<string> _accepting = [];
    private long _candidate;

    /// <summary>The number found so far. A transaction that begins from now on sees all rows up to this number.</summary>
    public long Through { get; private set; }

    /// <summary>Discards the number found so far, because the database may have been restored to lower numbers since.</summary>
    public void Restart()
    {
        _accepting = [];
        _candidate = 0;
        Through = 0;
    }

    /// <summary>Advances the frontier if possible. Call it after a row was read, with the number and the connection of that read.</summary>
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
