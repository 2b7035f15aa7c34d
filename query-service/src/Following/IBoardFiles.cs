using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Following;

/// <summary>The board's files as this replica has them to hand out, wherever they are. Any thread. Members throw <see cref="BoardUnreadableException"/>.</summary>
internal interface IBoardFiles
{
    /// <summary>Gives a file of the board; null when there is none of that name. Of a name that is none of the board's own, in its only spelling, there is none.</summary>
    /// <param name="path">Path below the board's prefix.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    Task<BoardFile?> FindAsync(string path, CancellationToken cancellationToken);

    /// <summary>Gives the file of an epoch's proof, which was published.</summary>
    Task<BoardFile> FindAuditProofAsync(ulong epoch, CancellationToken cancellationToken);

    /// <summary>Reads the proof of an epoch, which was published.</summary>
    Task ReadAuditProofAsync(ulong epoch, PooledWriter output, CancellationToken cancellationToken);
}
