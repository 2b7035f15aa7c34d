using System.Net;
using System.Net.Sockets;
using Npgsql;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Tests a network that cuts connections while they are being opened: one attempt fails, but the process continues.</summary>
public sealed class CutConnectionTests() : StorageConformance(new PostgreSqlFixture())
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_connection_that_is_cut_before_the_server_answers_spoils_none_of_the_pool(int cuts)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        Task<int> forwarding = ForwardAsync(listener, cuts, stop.Token);
        string connection =
            new NpgsqlConnectionStringBuilder(ConnectionString) { Port = ((IPEndPoint)listener.LocalEndpoint).Port }.ConnectionString;
        await using (IFollowStore follow = await Fixture.Provider.OpenFollowAsync(connection, Cancel))
        {
            // The read uses the connection that the first attempt left in the pool.
            for (int i = 0; i < 3; i++)
            {
                Assert.Null((await follow.ReadHeadAsync(Cancel)).PublishedEpoch);
            }
        }
        await stop.CancelAsync();
        Assert.Equal(cuts, await forwarding);
    }

    // Forwards connections to the server, but cuts the first ones, up to the given number, after their first bytes. Returns how many it
    // cut.
    private static async Task<int> ForwardAsync(TcpListener listener, int cuts, CancellationToken cancellationToken)
    {
        int done = 0;
        var forwarding = new List<Task>();
        try
        {
            while (true)
            {
                TcpClient client = await listener.AcceptTcpClientAsync(cancellationToken);
                if (done == cuts)
                {
                    forwarding.Add(ForwardAsync(client, cancellationToken));
                    continue;
                }
                done++;
                using (client)
                {
                    _ = await client.GetStream().ReadAsync(new byte[64], cancellationToken);
                    client.LingerState = new LingerOption(true, 0);
                }
            }
        }
        catch (OperationCanceledException)
        {
            await Task.WhenAll(forwarding);
            return done;
        }
    }

    private static async Task ForwardAsync(TcpClient client, CancellationToken cancellationToken)
    {
        using (client)
        {
            using var server = new TcpClient();
            await server.ConnectAsync(IPAddress.Loopback, Cluster.Current.Port, cancellationToken);
            try
            {
                await Task.WhenAny(
                    client.GetStream().CopyToAsync(server.GetStream(), cancellationToken),
                    server.GetStream().CopyToAsync(client.GetStream(), cancellationToken));
            }
            catch (OperationCanceledException)
            {
                // The test has ended, and it cancels the forwarding.
            }
        }
    }
}
