namespace Optiks.QueryService.Answers;

/// <summary>Counts the memory of a request's body while the service reads and parses the body. Not thread-safe.</summary>
internal sealed class BodyLease : IDisposable
{
    // A body is in memory twice, in the connection's pipe and in one contiguous array.
    private const int Copies = 2;

    private readonly AnswerLease _lease;
    private long _held;

    public BodyLease(AnswerLease lease) => _lease = lease;

    /// <summary>
    /// Counts the bytes of the body that have arrived so far. Throws <see cref="ServiceDefaults.ProblemException"/> (overloaded) if the
    /// caller may not have that much memory now.
    /// </summary>
    public void Hold(long octets)
    {
        long more = (Copies * octets) - _held;
        if (more > 0)
        {
            _lease.Take(more);
            _held += more;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _lease.Return(_held);
        _held = 0;
    }
}
