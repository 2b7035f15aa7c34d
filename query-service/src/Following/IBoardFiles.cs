using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Following;

/// <summary>
/// The board's files as this replica serves them, wherever they are stored. Thread-safe. Members throw
/// <see cref="BoardUnreadableException"/>.
/// </summary>
internal interface IBoardFiles
{
    /// <summary>
    /// Returns a file of the board; null when the file does not exist. Returns null for every path that is not the canonical form of a name
    /// that the board uses.
    /// </summary>
    /// <param name="path">Path below the board's prefix.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    Task<BoardFile?> FindAsync(string path, CancellationToken cancellationToken);

    /// <summary>Returns the file with the audit proof of a published epoch.</summary>
    Task<BoardFile> FindAuditProofAsync(ulong epoch, CancellationToken cancellationToken);

    /// <summary>Reads the audit proof of a published epoch.</summary>
    Task ReadAuditProofAsync(ulong epoch, PooledWriter output, CancellationToken cancellationToken);
}
