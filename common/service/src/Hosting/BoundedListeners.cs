using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Makes listeners that accept no further connection while <see cref="ConnectionLimits.MaxAccepted"/> connections are open. Kestrel's own
/// limit would accept the excess connections and then close them. Strangers could open connections faster than Kestrel closes them, and use
/// up the descriptors that files and the database need. Any thread may use it.
/// </summary>
internal sealed class BoundedListeners : IConnectionListenerFactory, IConnectionListenerFactorySelector, IDisposable
{
    private readonly SocketTransportFactory _sockets;
    private readonly SemaphoreSlim _room;

    public BoundedListeners(IOptions<SocketTransportOptions> options, ILoggerFactory loggers)
        : this(options, loggers, ConnectionLimits.MaxAccepted(ConnectionLimits.Descriptors()))
    {
    }

    internal BoundedListeners(IOptions<SocketTransportOptions> options, ILoggerFactory loggers, int room)
    {
        _sockets = new SocketTransportFactory(options, loggers);
        _room = new SemaphoreSlim(room);
    }

    public bool CanBind(EndPoint endpoint) => _sockets.CanBind(endpoint);

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        new Listener(await _sockets.BindAsync(endpoint, cancellationToken).ConfigureAwait(false), _room);

    public void Dispose() => _room.Dispose();

    private sealed class Listener(IConnectionListener inner, SemaphoreSlim room) : IConnectionListener
    {
        // Unbinding the listener cancels this token, which ends an accept call that waits for room or for a connection.
        private readonly CancellationTokenSource _unbound = new();

        public EndPoint EndPoint => inner.EndPoint;

        public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
        {
            try
            {
                using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _unbound.Token);
                await room.WaitAsync(either.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (_unbound.IsCancellationRequested)
            {
                return null;
            }
            ConnectionContext? connection = null;
            try
            {
                connection = await inner.AcceptAsync(cancellationToken).ConfigureAwait(false);
                return connection is null ? null : new BoundedConnection(connection, room);
            }
            finally
            {
                if (connection is null)
                {
                    room.Release();
                }
            }
        }

        public async ValueTask UnbindAsync(CancellationToken cancellationToken = default)
        {
            await _unbound.CancelAsync().ConfigureAwait(false);
            await inner.UnbindAsync(cancellationToken).ConfigureAwait(false);
        }

        public async ValueTask DisposeAsync()
        {
            await _unbound.CancelAsync().ConfigureAwait(false);
            await inner.DisposeAsync().ConfigureAwait(false);
            _unbound.Dispose();
        }
    }
}
