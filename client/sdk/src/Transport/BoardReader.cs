using System.Net;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Fetches the files of a server's bulletin board, with the same bounds of length and time as every answer. It verifies nothing;
/// <see cref="HashReader"/> verifies the files. It reports failures as <see cref="OptiksServerException"/>. Thread-safe.
/// </summary>
internal sealed class BoardReader : ITileReader
{
    private readonly ServerConnection _connection;
    private readonly Uri _server;

    public BoardReader(ServerConnection connection, Uri server)
    {
        _connection = connection;
        _server = server;
    }

    /// <inheritdoc/>
    public Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken) =>
        GetAsync("checkpoint", SignedNote.MaxBytes, cancellationToken);

    /// <inheritdoc/>
    public async Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken)
    {
        int maxLength = path.IsEntries ? TilePath.FullWidth * (sizeof(ushort) + EpochRecord.Length) : TilePath.FullWidth * TreeHash.Length;
        try
        {
            return await GetAsync(path.ToString(), maxLength, cancellationToken).ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (e.Status == HttpStatusCode.Forbidden && !path.IsFull)
        {
            // S3 answers with 403 for a missing object if the client may not list the bucket. When this call returns null, the caller
            // requests the full tile.
            return null;
        }
    }

    /// <summary>
    /// Reads the checkpoint, for callers that cannot continue without one. Throws <see cref="OptiksServerException"/> when the server has
    /// no checkpoint yet.
    /// </summary>
    public async Task<byte[]> CheckpointAsync(CancellationToken cancellationToken) =>
        await ReadCheckpointAsync(cancellationToken).ConfigureAwait(false)
        ?? throw new OptiksServerException(ServerFailure.Unusable, _server, $"{_server.Authority} has no checkpoint yet.");

    private async Task<byte[]?> GetAsync(string file, int maxLength, CancellationToken cancellationToken)
    {
        try
        {
            return await _connection.SendAsync(new ServerRequest(_server, $"/log/{file}", null, maxLength), cancellationToken)
                .ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (e.Status == HttpStatusCode.NotFound)
        {
            return null;
        }
    }
}
