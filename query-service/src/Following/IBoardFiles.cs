using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Following;

/// <summary>
/// Provides the board's files that this replica serves, no matter where they are stored. Thread-safe. If the board cannot be read, members
/// throw <see cref="BoardUnreadableException"/>.
/// </summary>
internal interface IBoardFiles
{
    /// <summary>
    /// Returns a file of the board; null if the file does not exist, or if the path is not the canonical form of a name that boards have.
    /// </summary>
    /// <param name="path">The path below the board's prefix.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    Task<BoardFile?> FindAsync(string path, CancellationToken cancellationToken);

    /// <summary>Returns the file with the audit proof of a published epoch.</summary>
    Task<BoardFile> FindAuditProofAsync(ulong epoch, CancellationToken cancellationToken);

    /// <summary>Writes the audit proof of a published epoch to a writer (<paramref name="output"/>).</summary>
    Task ReadAuditProofAsync(ulong epoch, PooledWriter output, CancellationToken cancellationToken);
}
