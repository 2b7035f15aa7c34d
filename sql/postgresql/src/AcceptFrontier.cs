using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>
/// Finds a number such that no pending row at or before it can still come. Numbers are drawn in order, but large groups are committed beside each other, in any order.
/// </summary>
/// <remarks>
/// Whoever draws a number holds <see cref="AdvisoryLocks.Accept"/> until its transaction has ended. So when a row can be read, all that drew before it have ended or hold the lock; and once
/// those that held it then do not hold it any more, they have ended, and every later transaction sees their rows. Not thread-safe.
/// </remarks>
internal sealed class AcceptFrontier
{
    // Locks are not part of a transaction's view: this is what is held now.
    private const string Holders = $"SELECT array_agg(virtualtransaction) FROM pg_locks WHERE {AdvisoryLocks.HoldsAccept}";

    // Those that may have drawn a number up to the candidate.
    private HashSet<string> _accepting = [];
    private long _candidate;

    /// <summary>The number. A transaction that begins from now on sees all rows up to it.</summary>
    public long Through { get; private set; }

    /// <summary>Forgets what it knows: numbers may have gone back with the database since.</summary>
    public void Restart()
    {
        _accepting = [];
        _candidate = 0;
        Through = 0;
    }

    /// <summary>Goes on after a row has been read, with the connection that read it.</summary>
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
